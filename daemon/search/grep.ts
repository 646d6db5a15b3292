import { randomUUID } from "node:crypto";
import type { Base } from "../../rpc/contract/bases.ts";
import { MAX_MATCHES } from "../../rpc/contract/grep-limits.ts";
import type { Params, Result } from "../../rpc/contract/index.ts";
import type { GrepBatch, GrepOptions, GrepPlace } from "../../workers/search/contract.ts";
import { KnowdError, toKnowdError } from "../runtime/errors.ts";
import { chooseBases } from "./choose-bases.ts";
import { passing, visibleOf } from "./filters.ts";
import { createGrepAnswer, type GrepAnswer } from "./grep-answer.ts";
import { askHost, createBudget } from "./host-call.ts";
import { compilePathGlobs } from "./path-globs.ts";
import type { SearchDeps } from "./search-deps.ts";
import type { SendPart } from "./sent-documents.ts";

type GrepParams = Params<"kb.grep">;
type GrepResult = Result<"kb.grep">;

export interface GrepCall {
  readonly signal: AbortSignal;
  readonly sendPart: SendPart | null;
}

/** Errors that say something about the call and not about one base. */
const OF_THE_CALL: ReadonlySet<string> = new Set([
  "PATTERN_INVALID",
  "DEADLINE",
  "CANCELLED",
  "STOPPING",
  "OVERLOADED",
]);

/** Of what is asked of the host at once. A part of a stream is no larger, but for the lines of one match. */
const BATCH = { matches: 1000, leanMatches: 10_000, chars: 256 * 1024 };

/** Finds a pattern in the documents of the bases, one base after the other, until `limit` matches are found. */
export async function grepBases(deps: SearchDeps, params: GrepParams, call: GrepCall): Promise<GrepResult> {
  const sendPart = params.stream ? streamOf(call) : null;
  if (sendPart === null && params.limit > MAX_MATCHES)
    throw invalidField("limit", `more than ${MAX_MATCHES} are only streamed`);
  if (params.lean && (sendPart === null || params.before + params.after > 0))
    throw invalidField("lean", "it is for streams without lines around matches");
  const { bases, warnings } = chooseBases(deps, params.baseIds);
  const answer = createGrepAnswer({ ...params, shown: deps.shown, warnings, sendPart });
  const clock = { leftMs: params.deadlineMs ?? deps.settings.deadlineMs };
  const failures: KnowdError[] = [];
  for (const base of bases) {
    try {
      await grepBase({ deps, base, params, answer, clock, signal: call.signal });
    } catch (thrown) {
      const error = toKnowdError(thrown);
      if (OF_THE_CALL.has(error.errorName)) throw error;
      failures.push(error);
      answer.warn(`the base "${base.name}" could not be looked through: ${error.message}`);
    }
    if (answer.isFull()) break;
  }
  if (failures[0] && failures.length === bases.length) throw failures[0];
  return answer.result();
}

function streamOf({ sendPart }: GrepCall): NonNullable<GrepCall["sendPart"]> {
  if (sendPart === null)
    throw invalidField("stream", "what is found is sent with $/progress, which needs a progressToken");
  return sendPart;
}

function invalidField(field: string, reason: string): KnowdError {
  return new KnowdError("INVALID_FIELD", { field, reason });
}

interface BaseGrep {
  readonly deps: SearchDeps;
  readonly base: Base;
  readonly params: GrepParams;
  readonly answer: GrepAnswer;
  /** The time that is left for work: what a reader of the stream takes is its own. */
  readonly clock: { leftMs: number };
  readonly signal: AbortSignal;
}

/**
 * Asks the host for one batch after the other. What is found is shown, or sent, before more is taken in; for a stream the
 * host looks on meanwhile.
 */
async function grepBase(grep: BaseGrep): Promise<void> {
  const { deps, base, params, answer } = grep;
  const materialIds = await timed(grep, () => chosenMaterials(deps, base.id, params, grep.signal));
  const options = optionsOf(params);
  const stream = params.stream ? randomUUID() : null;
  const ahead = new AbortController();
  const signal = AbortSignal.any([grep.signal, ahead.signal]);
  const ask = (from: GrepPlace | null, found: number): Promise<GrepBatch> =>
    timed(grep, (leftMs) => {
      const atOnce = params.lean ? BATCH.leanMatches : BATCH.matches;
      const matches = Math.max(1, Math.min(atOnce, answer.left() - found + 1));
      const most = { matches, chars: BATCH.chars };
      const target = { baseId: base.id, indexPath: deps.registry.indexPath(base.id), materialIds };
      const input = { ...target, options, from, stream, most };
      return askHost(deps.host, "index.grep", input, createBudget(leftMs, signal));
    });
  let asked: Promise<GrepBatch> | null = ask(null, 0);
  while (asked !== null) {
    const batch: GrepBatch = await asked;
    const { next } = batch;
    asked = next !== null && params.stream ? ask(next, foundIn(batch)) : null;
    // Whoever takes nothing more in does not hear how it ends.
    asked?.catch(() => undefined);
    try {
      await answer.take(base.id, batch);
    } catch (error) {
      ahead.abort();
      throw error;
    }
    if (answer.isFull()) {
      ahead.abort();
      return;
    }
    if (next !== null) asked ??= ask(next, 0);
  }
}

function foundIn({ matches }: GrepBatch): number {
  return matches.reduce((sum, told) => sum + Math.max(1, told), 0);
}

async function timed<T>({ clock }: BaseGrep, work: (leftMs: number) => Promise<T>): Promise<T> {
  const started = performance.now();
  // At the very end a call of the host is still begun, and ends with DEADLINE.
  const result = await work(Math.max(1, Math.ceil(clock.leftMs)));
  clock.leftMs -= performance.now() - started;
  return result;
}

/** Null for all of the base: what the catalogue hides is then left out of what was found (K1.2). */
async function chosenMaterials(
  { catalog }: SearchDeps,
  baseId: string,
  { glob, types }: GrepParams,
  signal: AbortSignal,
): Promise<readonly string[] | null> {
  if (glob === undefined && types === undefined) return null;
  const ids =
    types === undefined
      ? await visibleOf(catalog.items, baseId, signal)
      : ((await catalog.items.matching(baseId, { formats: types }, signal)) ?? []);
  if (glob === undefined) return ids;
  return passing(catalog.items, ids, [compilePathGlobs([glob].flat())], signal);
}

function optionsOf(params: GrepParams): GrepOptions {
  const { pattern, patterns = [], literal, word, wholeLine, invert, output, perLine, lean } = params;
  return {
    patterns: [pattern, ...patterns],
    literal,
    caseSensitive: params.caseSensitive ?? null,
    word,
    wholeLine,
    invert,
    output,
    perLine,
    lean,
    maxPerDocument: params.maxCount ?? Infinity,
    linesBefore: params.before,
    linesAfter: params.after,
  };
}
