import type { Base } from "../../rpc/contract/bases.ts";
import type { SearchResult } from "../../rpc/contract/search.ts";
import type { ShownUnit } from "../../workers/search/contract.ts";
import { KnowdError, toKnowdError } from "../runtime/errors.ts";
import {
  askBase,
  mayHaveMore,
  unsearched,
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
import { fillListing, listBase } from "./list-documents.ts";
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
  /** By base id: what went wrong in this call. The base is asked again for the next page. */
  readonly failed: Map<string, KnowdError>;
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
  return (await answer(lists, call, { warnings, given: params, started })).result;
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
): Promise<{ result: SearchResult; list: ResultList }> {
  const { asked, params } = call;
  const held = params.cursor === undefined ? null : lists.resume(params.cursor, given);
  const list = held?.list ?? newList(call);
  const begun: Reading = { call, list, texts: new Map(), warnings: [...warnings], failed: new Map() };
  const reading = held ? { ...begun, call: unquotedIf(list.isUnquoted, call) } : await makeList(begun);
  const page = await takePage(list, held?.from ?? START, { ...reading, extend: () => extend(reading) });
  const ended = endOf([...reading.failed.values()]);
  // Without a hit the time was too short for a page: its cursor is good for another attempt.
  if (ended && page.hits.length === 0) throw ended;
  const more = page.next.passed < list.entries.length || [...list.depths.values()].some(mayHaveMore);
  const result = {
    hits: page.hits,
    ...(more && page.hits.length > 0 && { cursor: lists.hold(list, given, page.next) }),
    mode: list.mode,
    ...(list.degraded.size > 0 && { degraded: [...list.degraded].join("; ") }),
    ...(list.corrections.length > 0 && { corrections: list.corrections }),
    ...(params.explain && { understood: understoodOf(asked) }),
    warnings: [...reading.warnings, ...missedPhrases(list, asked)],
    tookMs: Math.round((performance.now() - started) * 10) / 10,
  };
  return { result, list };
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
    isFused: false,
    isUnquoted: false,
    mode: "bm25",
    degraded: new Set(),
  };
}

async function makeList(reading: Reading): Promise<Reading> {
  const { list, call } = reading;
  if (call.asked.isListing) {
    await listDocuments(reading);
    return reading;
  }
  const searched = await search(reading);
  const { sort } = call.params;
  if (sort !== "relevance") await orderByTime(list, { ...searched, order: sort });
  return searched;
}

/** The first search for a new list. Where no passage has what is quoted among other words, it is looked for as they are. */
async function search(reading: Reading): Promise<Reading> {
  await extend(reading);
  const { list, call } = reading;
  list.isUnquoted = list.entries.length === 0 && call.asked.mayBeUnquoted;
  if (!list.isUnquoted) return reading;
  for (const baseId of list.depths.keys()) list.depths.set(baseId, unsearched());
  const unquoted = { ...reading, call: unquotedIf(true, call) };
  await extend(unquoted);
  return unquoted;
}

export function unquotedIf(isUnquoted: boolean, call: Call): Call {
  return isUnquoted ? { ...call, asked: { ...call.asked, phrases: [] } } : call;
}

/**
 * Searches the bases that may have more, and adds what is not in the list yet at its end; false when there is none. Two
 * calls may read on in one list at a time: what counts is what is in it when the answers are there. Throws when every base that was asked failed, and nothing was found before.
 */
async function extend(reading: Reading): Promise<boolean> {
  const { call, list, texts, failed } = reading;
  const open = call.bases.filter(({ id }) => {
    const depth = list.depths.get(id);
    return depth !== undefined && !failed.has(id) && mayHaveMore(depth);
  });
  if (open.length === 0) return false;
  const before = keysOf(list);
  const answers = await askEach(reading, open, (base) =>
    askBase(call, base, list.depths.get(base.id)!, before),
  );
  if (answers.some(({ mode }) => mode === "hybrid")) list.mode = "hybrid";
  for (const answer of answers) addCorrections(list.corrections, answer.baseId, answer.corrections);
  for (const { degraded } of answers) if (degraded !== null) list.degraded.add(degraded);
  for (const answer of answers) for (const [key, unit] of answer.texts) texts.set(key, unit);
  const [only] = call.bases;
  const threshold = call.bases.length === 1 && only ? only.threshold : null;
  const found = answers.map(({ entries }) => entries);
  list.isFused ||= found.filter((entries) => entries.length > 0).length > 1;
  const known = keysOf(list);
  const fresh = mergeBases(found, list.isFused).filter((entry) => !known.has(keyOf(entry)));
  list.entries.push(...aboveThreshold(fresh, threshold));
  return true;
}

/** What they answer; of those that fail a warning. Throws when all do, and nothing was found before. */
async function askEach<T>(
  { call, list, warnings, failed }: Reading,
  bases: readonly Base[],
  ask: (base: Base) => Promise<T>,
): Promise<T[]> {
  const settled = await Promise.allSettled(bases.map(ask));
  const answers: T[] = [];
  const errors: KnowdError[] = [];
  settled.forEach((outcome, at) => {
    const base = bases[at]!;
    if (outcome.status === "fulfilled") return answers.push(outcome.value);
    const error = toKnowdError(outcome.reason);
    errors.push(error);
    failed.set(base.id, error);
    call.log.warn({ baseId: base.id, error: error.errorName, ...error.data }, "a base could not be searched");
    return warnings.push(`the base "${base.name}" could not be searched: ${error.message}`);
  });
  if (errors.length > 0 && answers.length === 0 && list.entries.length === 0) throw worstOf(errors);
  return answers;
}

async function listDocuments(reading: Reading): Promise<void> {
  const { call, list, warnings } = reading;
  const listings = await askEach(reading, call.bases, (base) => listBase(call, base));
  warnings.push(...fillListing(list, call.params.sort, listings));
}

function keysOf({ entries }: ResultList): Set<string> {
  return new Set(entries.map(keyOf));
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
  return endOf(errors) ?? errors[0] ?? new KnowdError("INTERNAL");
}

function endOf(errors: readonly KnowdError[]): KnowdError | undefined {
  return errors.find(({ errorName }) => errorName === "DEADLINE" || errorName === "CANCELLED");
}
