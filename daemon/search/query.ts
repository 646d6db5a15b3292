import type { Base } from "../../rpc/contract/bases.ts";
import type { SearchResult } from "../../rpc/contract/search.ts";
import type { ShownUnit } from "../../workers/search/contract.ts";
import { KnowdError, toKnowdError } from "../runtime/errors.ts";
import {
  askBase,
  mayHaveMore,
  unsearched,
  type BaseAnswer,
  type Call,
  type ListParams,
  type QueryDeps,
  type QueryParams,
} from "./ask-base.ts";
import { orderByTime } from "./by-time.ts";
import { chooseBases } from "./choose-bases.ts";
import { addCorrections } from "./corrections.ts";
import { newListId, type AskedParams, type HeldLists, type ResultList } from "./held-lists.ts";
import { createBudget } from "./host-call.ts";
import { listDocuments } from "./list-documents.ts";
import { createQueryEmbedder } from "./query-vector.ts";
import { readQuery, understoodOf, type AskedQuery } from "./read-query.ts";
import { aboveThreshold, keyOf, mergeBases } from "./result-list.ts";
import { takePage } from "./take-page.ts";

const DEFAULT_TOP_K = 10;
const START = { passed: 0, shown: 0 } as const;

/** A list that is being read: where it stands, and the texts that came with the searches for it. */
interface Reading {
  readonly call: Call;
  readonly list: ResultList;
  readonly texts: Map<string, ShownUnit>;
  readonly warnings: string[];
}

/**
 * Searches the bases that are asked for, or reads on in a list that was made before. Throws QUERY_EMPTY, BASE_NOT_FOUND,
 * BASE_FAILED, CURSOR_INVALID, CURSOR_EXPIRED, DEADLINE, CANCELLED.
 */
export async function searchBases(
  deps: QueryDeps,
  lists: HeldLists,
  params: QueryParams,
  signal: AbortSignal,
): Promise<SearchResult> {
  const started = performance.now();
  const { call, warnings } = await beginQuery(deps, params, signal);
  return answer(lists, call, { warnings, given: params, started });
}

/** Hits of a page: as asked, else what the bases are set to. */
export function topKOf({ topK }: ListParams, bases: readonly Base[]): number {
  return topK ?? Math.max(...bases.map((base) => base.documentCount ?? DEFAULT_TOP_K), 1);
}

/** One page of a new list, or of the one that the cursor names. `given`: the parameters, which all pages share. */
export async function answer(
  lists: HeldLists,
  call: Call,
  { warnings, given, started }: { warnings: readonly string[]; given: AskedParams; started: number },
): Promise<SearchResult> {
  const { asked, params } = call;
  const held = params.cursor === undefined ? null : lists.resume(params.cursor, given);
  const list = held?.list ?? newList(call);
  const asWritten: Reading = { call, list, texts: new Map(), warnings: [...warnings] };
  const reading = held || asked.isListing ? unquotedIf(list.isUnquoted, asWritten) : await search(asWritten);
  if (!held && asked.isListing) await listDocuments(list, call);
  else if (!held && params.sort !== "relevance") await orderByTime(list, { ...reading, order: params.sort });
  const page = await takePage(list, held?.from ?? START, { ...reading, extend: () => extend(reading) });
  const more = page.next.passed < list.entries.length || [...list.depths.values()].some(mayHaveMore);
  return {
    hits: page.hits,
    ...(more && page.hits.length > 0 && { cursor: lists.hold(list, given, page.next) }),
    mode: list.mode,
    ...(list.degraded.size > 0 && { degraded: [...list.degraded].join("; ") }),
    ...(list.corrections.length > 0 && { corrections: list.corrections }),
    ...(params.explain && { understood: understoodOf(asked) }),
    warnings: [...reading.warnings, ...missedPhrases(list, asked)],
    tookMs: Math.round((performance.now() - started) * 10) / 10,
  };
}

/** Chooses the bases, reads the query and starts the clock. Throws QUERY_EMPTY, INVALID_FIELD, BASE_NOT_FOUND, BASE_FAILED. */
export async function beginQuery(
  deps: QueryDeps,
  params: QueryParams,
  signal: AbortSignal,
): Promise<{ call: Call; warnings: readonly string[] }> {
  const { bases, warnings } = chooseBases(deps, params.baseIds);
  const asked = await readQuery(params);
  const budget = createBudget(params.deadlineMs ?? deps.settings.deadlineMs, signal);
  const embedder = createQueryEmbedder(deps, asked.text, budget);
  const topK = topKOf(params, bases);
  const call = { ...deps, params, asked, like: null, bases, budget, embedder, topK };
  return { call, warnings: [...warnings, ...asked.notes] };
}

function newList({ bases }: Call): ResultList {
  return {
    id: newListId(),
    entries: [],
    depths: new Map(bases.map((base) => [base.id, unsearched()])),
    shown: [],
    corrections: [],
    isUnquoted: false,
    mode: "bm25",
    degraded: new Set(),
  };
}

/** The first search for a new list. Where no passage has what is quoted among other words, it is looked for as they are. */
async function search(reading: Reading): Promise<Reading> {
  await extend(reading);
  const { list, call } = reading;
  list.isUnquoted = list.entries.length === 0 && call.asked.mayBeUnquoted;
  if (!list.isUnquoted) return reading;
  // A base that failed fails again.
  for (const [baseId, { candidates }] of list.depths)
    if (candidates > 0) list.depths.set(baseId, unsearched());
  const unquoted = unquotedIf(true, reading);
  await extend(unquoted);
  return unquoted;
}

function unquotedIf(isUnquoted: boolean, reading: Reading): Reading {
  if (!isUnquoted) return reading;
  return { ...reading, call: { ...reading.call, asked: { ...reading.call.asked, phrases: [] } } };
}

/**
 * Searches the bases that may have more, and adds what is not in the list yet at its end; false when there is none.
 * Throws when every base that was asked failed, and nothing was found before.
 */
async function extend({ call, list, texts, warnings }: Reading): Promise<boolean> {
  const open = call.bases.filter(({ id }) => {
    const depth = list.depths.get(id);
    return depth !== undefined && mayHaveMore(depth);
  });
  if (open.length === 0) return false;
  const known = new Set(list.entries.map(keyOf));
  const settled = await Promise.allSettled(
    open.map((base) => askBase(call, base, list.depths.get(base.id)!, known)),
  );
  const answers: BaseAnswer[] = [];
  const errors: KnowdError[] = [];
  settled.forEach((outcome, at) => {
    const base = open[at]!;
    if (outcome.status === "fulfilled") return answers.push(outcome.value);
    const error = toKnowdError(outcome.reason);
    errors.push(error);
    list.depths.get(base.id)!.complete = true;
    call.log.warn({ baseId: base.id, error: error.errorName, ...error.data }, "a base could not be searched");
    return warnings.push(`the base "${base.name}" could not be searched: ${error.message}`);
  });
  if (errors.length > 0 && answers.length === 0 && list.entries.length === 0) throw worstOf(errors);
  if (answers.some(({ mode }) => mode === "hybrid")) list.mode = "hybrid";
  for (const answer of answers) addCorrections(list.corrections, answer.baseId, answer.corrections);
  for (const { degraded } of answers) if (degraded !== null) list.degraded.add(degraded);
  for (const answer of answers) for (const [key, unit] of answer.texts) texts.set(key, unit);
  const [only] = call.bases;
  const threshold = call.bases.length === 1 && only ? only.threshold : null;
  const fresh = mergeBases(answers.map(({ entries }) => entries)).filter((entry) => !known.has(keyOf(entry)));
  list.entries.push(...aboveThreshold(fresh, threshold));
  return true;
}

function missedPhrases({ entries, isUnquoted }: ResultList, { phrases }: AskedQuery): string[] {
  if (phrases.length === 0 || (entries.length > 0 && !isUnquoted)) return [];
  const quoted = phrases.map((phrase) => `"${phrase}"`).join(" and ");
  const instead = isUnquoted
    ? "its words were searched for"
    : "without the quotes its words are searched for";
  return [`no passage that was searched has ${quoted}: ${instead}`];
}

/** That the time was up, or nobody waits any more, says more than what else went wrong. */
function worstOf(errors: readonly KnowdError[]): KnowdError {
  const ended = errors.find(({ errorName }) => errorName === "DEADLINE" || errorName === "CANCELLED");
  return ended ?? errors[0] ?? new KnowdError("INTERNAL");
}
