import { loadStaticModel } from "../embed/static-model.ts";
import { planQuery, type QueryUnit } from "../words/query.ts";
import type { Candidate, LaneQuery, SearchTasks } from "./contract.ts";
import { exactCosines } from "./exact-cosine.ts";
import { byScoreThenId, fuse, type FusedEntry } from "./fuse.ts";
import { withoutHidden } from "./hidden-units.ts";
import { createHighlighter } from "./highlight.ts";
import type { OpenIndex } from "./readers.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { hasLongDocuments, materialOf, numbersOf, unitByNumber, unitId } from "./units.ts";
import type { WordHit } from "./evidence.ts";
import type { LaneHit } from "./vector-lane.ts";
import { fitToIndex, rankByWords } from "./word-lane.ts";

type Output = SearchTasks["index.search"]["output"];

/** Candidates for each document that is wanted, so that one with several near chunks leaves room for others. */
const CHUNKS_PER_DOCUMENT = 2;
/** A search waits this long for vectors to be loaded, then answers with those that are. */
const LOADING_MS = 100;

interface Lanes {
  readonly words: readonly WordHit[];
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
  if (nothing) return { candidates: [], found: 0, mode, degraded: failure };
  return open.reader.snapshot(() => {
    const units = fitToIndex(open.reader, tokenizer, plan);
    const candidates = query.candidates * (query.perDocument ? CHUNKS_PER_DOCUMENT : 1);
    const deep = { ...query, candidates };
    const lanes = askLanes(open, tokenizer, units, vector, deep);
    const fused = rank(open, lanes, vector !== null, deep);
    const ranked = query.perDocument ? bestOfDocuments(open, fused).slice(0, query.candidates) : fused;
    const shown = show(open, tokenizer, units, ranked.slice(0, query.shown));
    return { candidates: shown, found: ranked.length, mode, degraded: failure ?? lanes.degraded };
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
  tokenizer: Tokenizer,
  units: readonly QueryUnit[],
  vector: Float32Array | null,
  query: LaneQuery,
): Lanes {
  const materialIds = query.filters?.materialIds ?? null;
  const accept = materialIds ? numbersOf(open.reader, materialIds) : null;
  const seen = withoutHidden(open.reader, accept);
  const byWords = rankByWords(open, tokenizer, units, query.candidates, seen);
  const words = (query.perDocument ? bestOfDocuments(open, byWords) : byWords).slice(0, query.candidates);
  // A query that the model knows no word of has a vector of length zero, which is near nothing.
  if (!vector?.some((value) => value !== 0))
    return { words, vectors: [], cosines: new Map(), degraded: null };
  const { complete, loaded } = open.vectors.refresh(vector.length, LOADING_MS);
  const vectors = open.vectors.nearest(vector, query.candidates, seen);
  const cosines = new Map(vectors.map((hit) => [hit.number, hit.score]));
  const unknown = words.flatMap(({ number }) => (cosines.has(number) ? [] : [number]));
  // What is near is weighed by its words too, where they rank it at all.
  const leading = new Set(words.map(({ number }) => number));
  words.push(...byWords.filter(({ number }) => cosines.has(number) && !leading.has(number)));
  for (const [number, cosine] of exactCosines(open.reader, vector, unknown)) cosines.set(number, cosine);
  const degraded = complete ? null : `vectors are still being loaded: ${loaded} so far`;
  return { words, vectors, cosines, degraded };
}

interface Ranked extends FusedEntry {
  readonly number: number;
  readonly cosine: number | null;
}

function rank(open: OpenIndex, lanes: Lanes, hybrid: boolean, query: LaneQuery): Ranked[] {
  const numbers = new Map<string, number>();
  const named = (hits: readonly (LaneHit | WordHit)[]) =>
    hits.flatMap(({ number, ...scores }) => {
      const id = unitId(open.reader, number);
      if (id === undefined) return [];
      numbers.set(id, number);
      return [{ id, ...scores }];
    });
  const words = named(lanes.words).sort(byScoreThenId);
  const vectors = named(lanes.vectors).sort(byScoreThenId);
  const cosines = new Map<string, number>();
  for (const id of numbers.keys()) {
    const cosine = lanes.cosines.get(numbers.get(id)!);
    if (cosine !== undefined) cosines.set(id, cosine);
  }
  const fused = hybrid
    ? fuse(words, vectors, cosines, query)
    : words.map(({ id, score }, at) => ({ id, score, bm25Rank: at + 1, vectorRank: null }));
  return fused.map((entry) => ({
    ...entry,
    number: numbers.get(entry.id)!,
    cosine: cosines.get(entry.id) ?? null,
  }));
}

/** The first chunk of each document. */
function bestOfDocuments<H extends { readonly number: number }>(
  { documents, reader }: OpenIndex,
  hits: readonly H[],
): H[] {
  const seen = new Set<number | string>();
  // The units of a document of many segments are in several runs.
  const mayRun = !hasLongDocuments(reader);
  return hits.filter(({ number }) => {
    const run = mayRun ? documents.runOf(number) : null;
    const key = run?.start ?? materialOf(reader, number) ?? number;
    return !seen.has(key) && seen.add(key);
  });
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
