import { loadStaticModel } from "../embed/static-model.ts";
import { planQuery, type QueryUnit } from "../words/query.ts";
import type { Candidate, LaneQuery, SearchTasks } from "./contract.ts";
import { exactCosines } from "./exact-cosine.ts";
import { byScoreThenId, fuse, type FusedEntry } from "./fuse.ts";
import { createHighlighter } from "./highlight.ts";
import type { OpenIndex } from "./readers.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { numbersOf, unitByNumber, unitId } from "./units.ts";
import type { LaneHit } from "./vector-lane.ts";
import { fitToIndex, topByWords } from "./word-lane.ts";

type Output = SearchTasks["index.search"]["output"];

/** Ranked by words this deep, so that candidates of the vector lane are weighed by their words too. */
const WORDS_DEPTH = 1000;
/** A search waits this long for vectors to be loaded, then answers with those that are. */
const LOADING_MS = 250;

interface Lanes {
  readonly words: readonly LaneHit[];
  readonly vectors: readonly LaneHit[];
  readonly cosines: ReadonlyMap<number, number>;
  readonly degraded: string | null;
}

/** The query's vector, or why there is none. Null vector and null reason: this is a search by words alone. */
interface QueryVector {
  readonly vector: Float32Array | null;
  readonly failure: string | null;
}

/** One base's candidates, best first. Both lanes read the same snapshot of the index. */
export function searchIndex(open: OpenIndex, tokenizer: Tokenizer, query: LaneQuery): Output {
  const plan = planQuery(query.query);
  const { vector, failure } = vectorOfQuery(query);
  const mode = vector ? "hybrid" : "bm25";
  const nothing = plan === null || query.filters?.materialIds?.length === 0;
  if (nothing) return { candidates: [], mode, degraded: failure };
  return open.reader.snapshot(() => {
    const units = fitToIndex(open.reader, tokenizer, plan);
    const lanes = askLanes(open, units, vector, query);
    const ranked = rank(open, lanes, vector !== null, query);
    return { candidates: show(open, tokenizer, units, ranked), mode, degraded: failure ?? lanes.degraded };
  });
}

function vectorOfQuery(query: LaneQuery): QueryVector {
  if (query.queryVector) return { vector: query.queryVector, failure: null };
  if (!query.model) return { vector: null, failure: null };
  try {
    return { vector: loadStaticModel(query.model).embed(query.query), failure: null };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      vector: null,
      failure: `searched by words alone: the embedding model can't be read (${reason})`,
    };
  }
}

function askLanes(
  open: OpenIndex,
  units: readonly QueryUnit[],
  vector: Float32Array | null,
  query: LaneQuery,
): Lanes {
  const materialIds = query.filters?.materialIds ?? null;
  const depth = vector ? Math.max(WORDS_DEPTH, query.candidates) : query.candidates;
  const words = topByWords(open.reader, units, depth, materialIds);
  // A query that the model knows no word of has a vector of length zero, which is near nothing.
  if (!vector?.some((value) => value !== 0))
    return { words, vectors: [], cosines: new Map(), degraded: null };
  const { complete, loaded } = open.vectors.refresh(vector.length, LOADING_MS);
  const accept = materialIds ? numbersOf(open.reader, materialIds) : null;
  const vectors = open.vectors.nearest(vector, query.candidates, accept);
  const known = new Map(vectors.map((hit) => [hit.number, hit.score]));
  const unknown = words
    .slice(0, query.candidates)
    .flatMap(({ number }) => (known.has(number) ? [] : [number]));
  const cosines = new Map([...known, ...exactCosines(open.reader, vector, unknown)]);
  const degraded = complete ? null : `vectors are still being loaded: ${loaded} so far`;
  return { words, vectors, cosines, degraded };
}

interface Ranked extends FusedEntry {
  readonly number: number;
  readonly cosine: number | null;
}

function rank(open: OpenIndex, lanes: Lanes, hybrid: boolean, query: LaneQuery): Ranked[] {
  const numbers = new Map<string, number>();
  const named = (hits: readonly LaneHit[]) =>
    hits.flatMap(({ number, score }) => {
      const id = unitId(open.reader, number);
      if (id === undefined) return [];
      numbers.set(id, number);
      return [{ id, score }];
    });
  const near = new Set(lanes.vectors.map((hit) => hit.number));
  const weighed = lanes.words.filter(({ number }, at) => at < query.candidates || near.has(number));
  const words = named(weighed).sort(byScoreThenId);
  const vectors = named(lanes.vectors).sort(byScoreThenId);
  const cosines = new Map<string, number>();
  for (const id of numbers.keys()) {
    const cosine = lanes.cosines.get(numbers.get(id)!);
    if (cosine !== undefined) cosines.set(id, cosine);
  }
  // By words alone the score is −bm25 itself.
  const fused = hybrid
    ? fuse(words, vectors, cosines, query)
    : words.map(({ id, score }, at) => ({ id, score, bm25Rank: at + 1, vectorRank: null }));
  return fused.map((entry) => ({
    ...entry,
    number: numbers.get(entry.id)!,
    cosine: cosines.get(entry.id) ?? null,
  }));
}

function show(
  open: OpenIndex,
  tokenizer: Tokenizer,
  units: readonly QueryUnit[],
  ranked: readonly Ranked[],
): Candidate[] {
  const highlight = createHighlighter(units, tokenizer);
  return ranked.flatMap(({ number, score, bm25Rank, vectorRank, cosine }) => {
    const unit = unitByNumber(open.reader, number);
    if (!unit) return [];
    return [{ ...unit, score, bm25Rank, vectorRank, cosine, highlights: highlight(unit.text) }];
  });
}
