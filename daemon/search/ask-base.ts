import type { Base } from "../../rpc/contract/bases.ts";
import type { Params } from "../../rpc/contract/index.ts";
import type { Candidate, LaneQuery, RankedUnit, ShownUnit } from "../../workers/search/contract.ts";
import { materialsOf, visibleOf } from "./filters.ts";
import { askHost, type Budget } from "./host-call.ts";
import type { QueryEmbedder } from "./query-vector.ts";
import { keyOf, type BaseList, type Entry } from "./result-list.ts";
import type { SearchDeps } from "./search-deps.ts";

export type QueryParams = Params<"search.query">;

/** How far a base has been searched for a list. */
export interface Depth {
  /** Candidates of the last search of it. */
  candidates: number;
  /** It has no more than was answered. */
  complete: boolean;
  /** Entries of documents that are not shown were met. */
  metHidden: boolean;
  /** Documents that are not shown were left out from the start. */
  visibleOnly: boolean;
}

/** Entries that are looked at beyond those that would fill a page: some may not be shown. */
export const SPARE = 5;

/** What one call brings along. */
export interface Call extends SearchDeps {
  readonly params: QueryParams;
  readonly bases: readonly Base[];
  readonly budget: Budget;
  readonly embedder: QueryEmbedder;
  /** Hits of a page. */
  readonly topK: number;
}

export interface BaseAnswer extends BaseList {
  readonly mode: "bm25" | "hybrid";
  readonly degraded: string | null;
}

/** Candidates a hit that is asked for, so that what is dropped on the way leaves enough (K9.2). */
const CANDIDATES_PER_HIT = 5;
const MAX_CANDIDATES = 200;
/** A list that is read page by page goes so deep in each base. */
const DEEPEST = 1000;
const DEEPER = 4;

export function unsearched(): Depth {
  return { candidates: 0, complete: false, metHidden: false, visibleOnly: false };
}

/** Whether a deeper search of the base may find what is not in the list yet. */
export function mayHaveMore({ candidates, complete, metHidden, visibleOnly }: Depth): boolean {
  return !complete && (candidates < DEEPEST || (metHidden && !visibleOnly));
}

/** Searches one base, deeper than before. `depth` is brought up to date. */
export async function askBase(call: Call, base: Base, depth: Depth): Promise<BaseAnswer> {
  const { params, topK, host, budget } = call;
  const candidates = depth.candidates === 0 ? firstCandidates(call) : deeper(depth);
  const asked = await laneQuery(call, base, candidates, depth.metHidden);
  const shown = params.sort === "relevance" ? topK + SPARE : candidates;
  const answer = await askHost(host, "index.search", { ...asked.query, shown }, budget);
  depth.candidates = candidates;
  depth.visibleOnly = asked.query.filters !== null;
  depth.complete = answer.complete;
  return {
    entries: answer.ranked.map(entryOf(base)),
    texts: textsOf(base, answer.candidates),
    mode: answer.mode,
    degraded: asked.failure ?? answer.degraded,
  };
}

/** What the search host is asked of one base; `failure` says why it is asked for words alone. */
export async function laneQuery(
  { catalog, registry, budget, params, embedder }: Call,
  base: Base,
  candidates: number,
  visibleOnly: boolean,
): Promise<{ query: LaneQuery; failure: string | null }> {
  const filtered = await materialsOf(catalog, base.id, params.filters, budget.signal);
  // Documents that are away for a while must not take the places of those that are there.
  const materialIds = filtered ?? (visibleOnly ? visibleOf(catalog, base.id) : null);
  const { failure, ...vector } = await embedder.forBase(base);
  const query = {
    baseId: base.id,
    indexPath: registry.indexPath(base.id),
    query: params.query,
    ...vector,
    perDocument: params.groupBy === "document",
    passages: params.passages,
    candidates,
    filters: materialIds && { materialIds },
  };
  return { query, failure };
}

/** Candidates of the first search of a base (K9.2). */
export function firstCandidates({ params, topK }: Call): number {
  if (params.sort !== "relevance") return MAX_CANDIDATES;
  return Math.max(topK, Math.min(topK * CANDIDATES_PER_HIT, MAX_CANDIDATES));
}

function deeper({ candidates }: Depth): number {
  return Math.min(DEEPEST, candidates * DEEPER);
}

function entryOf(base: Base): (ranked: RankedUnit) => Entry {
  return (ranked) => ({ ...ranked, baseId: base.id, scoreKind: "ranking" });
}

function textsOf({ id: baseId }: Base, candidates: readonly Candidate[]): Map<string, ShownUnit> {
  const shown = candidates.flatMap((candidate) => [candidate, ...(candidate.passages ?? [])]);
  return new Map(shown.map((unit) => [keyOf({ baseId, unitId: unit.unitId }), unit]));
}
