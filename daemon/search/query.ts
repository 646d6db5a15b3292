import type { Base } from "../../rpc/contract/bases.ts";
import type { Params } from "../../rpc/contract/index.ts";
import type { SearchResult } from "../../rpc/contract/search.ts";
import type { Candidate } from "../../workers/search/contract.ts";
import { planQuery } from "../../workers/words/query.ts";
import { displayPath } from "../../workers/path-bytes.ts";
import { KnowdError, toKnowdError } from "../runtime/errors.ts";
import { chooseBases } from "./choose-bases.ts";
import { materialsOf, visibleOf } from "./filters.ts";
import { askHost, createBudget, type Budget } from "./host-call.ts";
import { createQueryEmbedder, type QueryEmbedder } from "./query-vector.ts";
import { finishHits, mergeBases, type UnrankedHit } from "./rank-hits.ts";
import type { SearchDeps } from "./search-deps.ts";

type QueryParams = Params<"search.query">;

const DEFAULT_TOP_K = 10;
/** Candidates a hit that is asked for, so that what is dropped on the way leaves enough (K9.2). */
const CANDIDATES_PER_HIT = 5;
const MAX_CANDIDATES = 200;
/** Candidates that are shown beyond the hits that are asked for: some may be of documents that are away. */
const SPARE_HITS = 5;

interface BaseAnswer {
  readonly hits: readonly UnrankedHit[];
  readonly mode: "bm25" | "hybrid";
  readonly degraded: string | null;
}

/** Searches the bases that are asked for. Throws QUERY_EMPTY, BASE_NOT_FOUND, BASE_FAILED, DEADLINE, CANCELLED. */
export async function searchBases(
  deps: SearchDeps,
  params: QueryParams,
  signal: AbortSignal,
): Promise<SearchResult> {
  const started = performance.now();
  const { bases, warnings } = chooseBases(deps, params.baseIds);
  if (planQuery(params.query) === null) throw new KnowdError("QUERY_EMPTY");
  const budget = createBudget(params.deadlineMs ?? deps.settings.deadlineMs, signal);
  const embedder = createQueryEmbedder(deps.models, params.query, budget);
  const topK = params.topK ?? Math.max(...bases.map((base) => base.documentCount ?? DEFAULT_TOP_K), 1);
  const settled = await Promise.allSettled(
    bases.map((base) => searchBase({ ...deps, budget, embedder, topK }, base, params)),
  );
  const answers = settled.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  const failures = settled.flatMap((outcome, at) =>
    outcome.status === "rejected" ? [{ base: bases[at]!, error: toKnowdError(outcome.reason) }] : [],
  );
  if (failures.length > 0 && answers.length === 0) throw worstOf(failures.map(({ error }) => error));
  for (const { base, error } of failures) {
    deps.log.warn({ baseId: base.id, error: error.errorName, ...error.data }, "a base could not be searched");
  }
  const degraded = [...new Set(answers.flatMap((answer) => answer.degraded ?? []))].join("; ");
  const [only] = bases;
  return {
    hits: finishHits(mergeBases(answers.map((answer) => answer.hits)), {
      topK,
      groupBy: params.groupBy,
      threshold: bases.length === 1 && only ? only.threshold : null,
    }),
    mode: answers.some((answer) => answer.mode === "hybrid") ? "hybrid" : "bm25",
    ...(degraded !== "" && { degraded }),
    warnings: [
      ...warnings,
      ...failures.map(({ base, error }) => `the base "${base.name}" could not be searched: ${error.message}`),
    ],
    tookMs: Math.round((performance.now() - started) * 10) / 10,
  };
}

/** That the time was up, or nobody waits any more, says more than what else went wrong. */
function worstOf(errors: readonly KnowdError[]): KnowdError {
  const ended = errors.find(({ errorName }) => errorName === "DEADLINE" || errorName === "CANCELLED");
  return ended ?? errors[0] ?? new KnowdError("INTERNAL");
}

async function searchBase(
  deps: SearchDeps & { budget: Budget; embedder: QueryEmbedder; topK: number },
  base: Base,
  params: QueryParams,
): Promise<BaseAnswer> {
  const { catalog, registry, host, budget } = deps;
  const filtered = await materialsOf(catalog, base.id, params.filters, budget.signal);
  const { failure, ...vector } = await deps.embedder.forBase(base);
  const look = async (materialIds: readonly string[] | null, shown: number) => {
    const { candidates, found, mode, degraded } = await askHost(
      host,
      "index.search",
      {
        baseId: base.id,
        indexPath: registry.indexPath(base.id),
        query: params.query,
        ...vector,
        perDocument: params.groupBy === "document",
        candidates: Math.max(deps.topK, Math.min(deps.topK * CANDIDATES_PER_HIT, MAX_CANDIDATES)),
        shown,
        filters: materialIds && { materialIds },
      },
      budget,
    );
    const hits = shownHits(deps, base, candidates, params.explain);
    return { hits, mode, degraded: failure ?? degraded, found };
  };
  const first = await look(filtered, deps.topK + SPARE_HITS);
  // Nearly always these are enough; what nobody sees needs no text and no highlights.
  const enough = first.hits.length >= deps.topK || first.found <= deps.topK + SPARE_HITS;
  const answer = enough ? first : await look(filtered, first.found);
  // Documents that are away for a while must not take the places of those that are there.
  const crowded = answer.hits.length < deps.topK && answer.hits.length < answer.found;
  return crowded && answer.found >= deps.topK && !filtered
    ? look(visibleOf(catalog, base.id), deps.topK)
    : answer;
}

/** An index row grants nothing: only chunks of items that the catalogue shows become hits (K1.2). */
function shownHits(
  { catalog }: Pick<SearchDeps, "catalog">,
  base: Base,
  candidates: readonly Candidate[],
  explain: boolean,
): UnrankedHit[] {
  const items = catalog.items.visible(base.id, [
    ...new Set(candidates.map((candidate) => candidate.materialId)),
  ]);
  return candidates.flatMap((candidate) => {
    const item = items.get(candidate.materialId);
    if (!item) return [];
    const title = candidate.title === "" ? item.title : candidate.title;
    const hit: UnrankedHit = {
      text: candidate.text,
      score: candidate.score,
      scoreKind: "ranking",
      baseId: base.id,
      itemId: item.id,
      unitId: candidate.unitId,
      conceptId: item.conceptId,
      path: item.path,
      title,
      headings: [...candidate.headings],
      locator: candidate.locator,
      charStart: candidate.charStart,
      charEnd: candidate.charEnd,
      contentHash: candidate.contentHash,
      source: item.path === null ? title : displayPath(item.path),
      highlights: candidate.highlights.map(([start, end]): [number, number] => [start, end]),
      untrusted: true,
    };
    return [explain ? { ...hit, lanes: lanesOf(candidate) } : hit];
  });
}

function lanesOf({ bm25Rank, vectorRank, cosine }: Candidate): NonNullable<UnrankedHit["lanes"]> {
  return {
    ...(bm25Rank !== null && { bm25: bm25Rank }),
    ...(vectorRank !== null && { vector: vectorRank }),
    ...(cosine !== null && { cosine }),
  };
}
