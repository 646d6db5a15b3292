import type { Base } from "../../rpc/contract/bases.ts";
import type { Params } from "../../rpc/contract/index.ts";
import type {
  Candidate,
  Correction,
  LaneQuery,
  Likeness,
  RankedUnit,
  ShownUnit,
} from "../../workers/search/contract.ts";
import { visibleOf, type Documents } from "./filters.ts";
import { askHost, type Budget } from "./host-call.ts";
import type { QueryEmbedder } from "./query-vector.ts";
import type { AskedQuery } from "./read-query.ts";
import { rerankEntries, type Reranking } from "./rerank.ts";
import { keyOf, type BaseList, type Entry } from "./result-list.ts";
import type { SearchDeps } from "./search-deps.ts";

export type QueryParams = Params<"search.query">;

/** What an answer depends on beside what is looked for. */
export type ListParams = Omit<QueryParams, "query">;

/** How far a base has been searched for a list. */
export interface Depth {
  /** Candidates of the last search of it. */
  candidates: number;
  /** It has no more than was answered. */
  complete: boolean;
  /** The reranker took less than there was: what it has not seen comes before a deeper search. */
  isCut: boolean;
  /** Entries of documents that are not shown were met. */
  metHidden: boolean;
  /** Documents that are not shown were left out from the start. */
  visibleOnly: boolean;
}

/** Entries that are looked at beyond those that would fill a page: some may not be shown. */
export const SPARE = 2;

/** What is kept from one query to the next. */
export interface QueryDeps extends SearchDeps {
  readonly documents: Documents;
}

/** What one call brings along. */
export interface Call extends QueryDeps {
  readonly params: ListParams;
  readonly asked: AskedQuery;
  /** Instead of the query: a text whose like is looked for. */
  readonly like: Likeness | null;
  readonly bases: readonly Base[];
  readonly budget: Budget;
  readonly embedder: QueryEmbedder;
  /** Hits of a page. */
  readonly topK: number;
}

export interface BaseAnswer extends BaseList {
  readonly baseId: string;
  readonly mode: "bm25" | "hybrid";
  readonly degraded: string | null;
  readonly corrections: readonly Correction[];
}

/** Candidates a hit that is asked for, so that what is dropped on the way leaves enough (K9.2). */
const CANDIDATES_PER_HIT = 5;
const MAX_CANDIDATES = 200;
/** A list that is read page by page goes so deep in each base. */
const DEEPEST = 1000;
const DEEPER = 4;

export function unsearched(): Depth {
  return { candidates: 0, complete: false, isCut: false, metHidden: false, visibleOnly: false };
}

/** Whether a deeper search of the base may find what is not in the list yet. */
export function mayHaveMore({ candidates, complete, isCut, metHidden, visibleOnly }: Depth): boolean {
  return !complete && (isCut || candidates < DEEPEST || (metHidden && !visibleOnly));
}

/**
 * Searches one base, deeper than before. `depth` is brought up to date. What is `known` comes first, in any order, so that
 * the ranks of the others count on; it is not reranked again.
 */
export async function askBase(
  call: Call,
  base: Base,
  depth: Depth,
  known: ReadonlySet<string>,
): Promise<BaseAnswer> {
  const { params, topK, host, budget } = call;
  const candidates = depth.candidates === 0 ? firstCandidates(call) : deeper(depth);
  const asked = await laneQuery(call, base, candidates, depth.metHidden);
  const reranks = isReranked(call, base);
  const showsAll = params.sort !== "relevance" || reranks;
  const shown = showsAll ? candidates : topK + SPARE;
  const answer = await askHost(host, "index.search", { ...asked.query, shown }, budget);
  depth.candidates = candidates;
  depth.visibleOnly = asked.query.filters !== null;
  const texts = textsOf(base, answer.candidates);
  const entries = answer.ranked.map(entryOf(base));
  const reranking = await rerank(call, base, { entries, texts, depth, known });
  // What a threshold has cut is not made up for by what is less likely still: trim, then threshold (K9.4). Of several bases
  // none has one.
  const isTrimmed = reranks && base.threshold !== null && call.bases.length === 1;
  depth.isCut = reranking.isCut;
  depth.complete = (answer.complete && !reranking.isCut) || isTrimmed;
  const troubles = [asked.failure ?? answer.degraded, reranking.degraded].filter((one) => one !== null);
  return {
    entries: reranking.entries,
    texts,
    mode: answer.mode,
    degraded: troubles.length > 0 ? troubles.join("; ") : null,
    baseId: base.id,
    corrections: answer.corrections,
  };
}

/** A reranker knows questions and their answers, not what a text is like. */
function isReranked({ like }: Call, { rerankModelId }: Base): boolean {
  return rerankModelId !== null && like === null;
}

/** What the catalogue does not show is not sent to a reranker, and takes no place (K1.2, K9.4). */
async function rerank(
  call: Call,
  base: Base,
  found: Pick<BaseAnswer, "entries" | "texts"> & { depth: Depth; known: ReadonlySet<string> },
): Promise<Reranking> {
  if (!isReranked(call, base)) return { entries: found.entries, isCut: false, degraded: null };
  const { catalog, rerankers, asked, budget } = call;
  const { texts, depth, known } = found;
  const materialOf = (entry: Entry): string => texts.get(keyOf(entry))?.materialId ?? "";
  const before = found.entries.filter((entry) => known.has(keyOf(entry)));
  const fresh = found.entries.filter((entry) => !known.has(keyOf(entry)));
  const visible = catalog.items.visible(base.id, [...new Set(fresh.map(materialOf))]);
  const shown = fresh.filter((entry) => visible.has(materialOf(entry)));
  if (shown.length < fresh.length) depth.metHidden = true;
  const input = { base, query: asked.text, entries: shown, texts, budget };
  const reranking = await rerankEntries(rerankers, input);
  return { ...reranking, entries: [...before, ...reranking.entries] };
}

/** What the search host is asked of one base; `failure` says why it is asked for words alone. */
export async function laneQuery(
  { catalog, registry, budget, params, asked, like, documents, embedder }: Call,
  base: Base,
  candidates: number,
  visibleOnly: boolean,
): Promise<{ query: LaneQuery; failure: string | null }> {
  const filtered = await documents.matching(base.id, asked.filter, budget.signal);
  // Documents that are away for a while must not take the places of those that are there.
  const materialIds =
    filtered ?? (visibleOnly ? await visibleOf(catalog.items, base.id, budget.signal) : null);
  const { failure, ...vector } = await embedder.forBase(base);
  const query = {
    baseId: base.id,
    indexPath: registry.indexPath(base.id),
    query: asked.text,
    phrases: asked.phrases,
    excluded: asked.excluded,
    like,
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

function deeper({ candidates, isCut }: Depth): number {
  return isCut ? candidates : Math.min(DEEPEST, candidates * DEEPER);
}

/** Field by field: a list is held for a while, and what is copied with `...` takes four times the memory. */
function entryOf({ id: baseId }: Base): (ranked: RankedUnit) => Entry {
  return ({ unitId, score, bm25Rank, vectorRank, cosine, latentRank, latentCosine, meaning, passages }) => ({
    baseId,
    unitId,
    score,
    scoreKind: "ranking",
    bm25Rank,
    vectorRank,
    cosine,
    latentRank,
    latentCosine,
    meaning,
    ...(passages && { passages }),
  });
}

function textsOf({ id: baseId }: Base, candidates: readonly Candidate[]): Map<string, ShownUnit> {
  const shown = candidates.flatMap((candidate) => [candidate, ...(candidate.passages ?? [])]);
  return new Map(shown.map((unit) => [keyOf({ baseId, unitId: unit.unitId }), unit]));
}
