import { loadStaticModel } from "../embed/static-model.ts";
import type { QueryUnit } from "../words/query.ts";
import type { Candidate, Correction, LaneQuery, RankedUnit, SearchTasks, ShownUnit } from "./contract.ts";
import { unitsOfMaterials } from "./accepted-units.ts";
import { byScoreThenId, fuse, type CosineLane, type FusedEntry } from "./ranking/fuse.ts";
import { withoutHidden } from "./hidden-units.ts";
import { withoutItself } from "./like.ts";
import { askNear, NOTHING_NEAR, openNear, type NearLanes, type NearUnits } from "./ranking/near-lanes.ts";
import type { OpenIndex } from "./readers.ts";
import { withReading } from "./ranking/reading.ts";
import { createUnitViewer } from "./show-units.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { understand, type Understood } from "./understand.ts";
import { meeting } from "./unit-sets.ts";
import { hasLongDocuments, materialOf, unitId, unitIds } from "./units.ts";
import type { WordHit } from "./ranking/evidence.ts";
import type { LaneHit } from "./vectors/vector-lane.ts";
import { rankByWords, WORD_DEPTH } from "./ranking/word-lane.ts";

type Output = SearchTasks["index.search"]["output"];

/** Candidates for each document that is wanted, so that one with several near chunks leaves room for others. */
const CHUNKS_PER_DOCUMENT = 2;

export interface Lanes extends NearLanes {
  readonly words: readonly WordHit[];
  /** All units that the words rank, also where `words` has one a document. */
  readonly byWords: readonly WordHit[];
  /** There are more units by words than were ranked. */
  readonly cut: boolean;
}

const WORDS_ALONE: NearLanes = {
  vectors: NOTHING_NEAR,
  latent: null,
  weights: undefined,
  reading: null,
  degraded: null,
};
const NO_LANES: Lanes = { ...WORDS_ALONE, words: [], byWords: [], cut: false };

/** The query's vector, or why there is none. Null vector and null reason: this is a search by words alone. */
interface QueryVector {
  readonly vector: Float32Array | null;
  readonly failure: string | null;
}

/** What both lanes made of a query. */
export interface FusedLanes {
  readonly mode: "bm25" | "hybrid";
  readonly degraded: string | null;
  /** What was looked for in this index. */
  readonly units: readonly QueryUnit[];
  readonly corrections: readonly Correction[];
  readonly lanes: Lanes;
  readonly fused: readonly Ranked[];
}

/** One base's candidates, best first. Both lanes read the same snapshot of the index. */
export function searchIndex(open: OpenIndex, tokenizer: Tokenizer, query: LaneQuery): Output {
  return open.reader.snapshot(() => {
    const depth = depthOf(query);
    const { mode, degraded, units, corrections, lanes, fused } = fuseLanes(open, tokenizer, {
      ...query,
      candidates: depth,
    });
    const ranked = query.perDocument ? byDocument(open, fused, lanes, query) : fused.map(rankedUnit);
    const view = createUnitViewer(open.reader, tokenizer, units);
    const candidates = withTexts(ranked.slice(0, query.shown), view);
    const isCut = query.perDocument && (lanes.cut || ranked.length === query.candidates);
    const complete = fused.length < depth && !isCut;
    return { candidates, ranked, complete, mode, degraded, corrections };
  });
}

/** Units that each lane names, and that the fused list keeps. */
export function depthOf({ candidates, perDocument }: LaneQuery): number {
  return candidates * (perDocument ? CHUNKS_PER_DOCUMENT : 1);
}

/** Of the fused list the first `kept`, as many as there are candidates by default. Call it inside a snapshot. */
export function fuseLanes(
  open: OpenIndex,
  tokenizer: Tokenizer,
  query: LaneQuery,
  kept = query.candidates,
): FusedLanes {
  const hasNothing = query.filters?.materialIds?.length === 0;
  const wanted = hasNothing ? null : understand(open, tokenizer, query);
  // As it was written: the model knows words that the base has not, where a correction would change what is meant.
  const { vector, failure } = vectorOfQuery(query, query.like?.text ?? query.query);
  const mode = vector ? "hybrid" : "bm25";
  if (wanted === null)
    return { mode, degraded: failure, units: [], corrections: [], lanes: NO_LANES, fused: [] };
  const { units, corrections } = wanted;
  const lanes = askLanes(open, tokenizer, wanted, vector, query);
  const fused = rank(open, lanes, vector !== null, { ...query, kept });
  return { mode, degraded: failure ?? lanes.degraded ?? wanted.degraded, units, corrections, lanes, fused };
}

function vectorOfQuery(query: LaneQuery, text: string): QueryVector {
  if (query.queryVector) return { vector: query.queryVector, failure: null };
  if (!query.model) return { vector: null, failure: null };
  try {
    return { vector: loadStaticModel(query.model).embed(text), failure: null };
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
  wanted: Understood,
  vector: Float32Array | null,
  query: LaneQuery,
): Lanes {
  const { units, demands } = wanted;
  const materialIds = query.filters?.materialIds ?? null;
  const accept = materialIds ? unitsOfMaterials(open, materialIds) : null;
  const shown = withoutHidden(open.reader, meeting({ ...open, tokenizer }, demands, accept));
  const seen = query.like ? withoutItself(open, shown, query.like) : shown;
  const asking = { open, tokenizer, wanted, seen, query };
  const opened = vector && openNear(asking, vector);
  const byWords = rankByWords(open, tokenizer, units, query.candidates, seen);
  const words = (query.perDocument ? bestOfDocuments(open, byWords) : byWords).slice(0, query.candidates);
  const cut = byWords.length >= Math.max(query.candidates, WORD_DEPTH);
  if (!opened || !vector) return { ...WORDS_ALONE, words, byWords, cut };
  const near = askNear(asking, opened, vector, words);
  // What is near is weighed by its words too, where they rank it at all.
  const leading = new Set(words.map(({ number }) => number));
  const { vectors, latent } = near;
  words.push(
    ...byWords.filter(
      ({ number }) =>
        !leading.has(number) && (vectors.cosines.has(number) || latent?.cosines.has(number) === true),
    ),
  );
  return { ...near, words, byWords, cut };
}

export interface Ranked extends FusedEntry {
  readonly number: number;
  readonly cosine: number | null;
  readonly latentCosine: number | null;
  readonly meaning: number | null;
}

function rank(
  open: OpenIndex,
  lanes: Lanes,
  hybrid: boolean,
  query: LaneQuery & { readonly kept: number },
): Ranked[] {
  const all = [...lanes.words, ...lanes.vectors.hits, ...(lanes.latent?.hits ?? [])];
  const ids = unitIds(open.reader, new Set(all.map(({ number }) => number)));
  const numbers = new Map([...ids].map(([number, id]) => [id, number]));
  const named = (hits: readonly (LaneHit | WordHit)[]) =>
    hits.flatMap(({ number, ...scores }) => {
      const id = ids.get(number);
      return id === undefined ? [] : [{ id, ...scores }];
    });
  const words = named(lanes.words).sort(byScoreThenId);
  const laneOf = ({ hits, cosines }: NearUnits): CosineLane => {
    const entries = named(hits).sort(byScoreThenId);
    const known = [...numbers].flatMap(([id, number]): [string, number][] => {
      const cosine = cosines.get(number);
      return cosine === undefined ? [] : [[id, cosine]];
    });
    return { entries, cosines: new Map(known) };
  };
  const { hits, cosines } = lanes.vectors;
  const vectors = laneOf({ hits, cosines: withReading(cosines, lanes.reading) });
  const latent = lanes.latent && laneOf(lanes.latent);
  const fused = hybrid
    ? fuse({ words, vectors, latent }, { ...query, ...(lanes.weights && { weights: lanes.weights }) })
    : words.map(({ id, score }, at) => ({ id, score, bm25Rank: at + 1, vectorRank: null, latentRank: null }));
  return fused.map((entry) => ({
    ...entry,
    number: numbers.get(entry.id)!,
    cosine: cosines.get(numbers.get(entry.id)!) ?? null,
    meaning: lanes.reading?.meanings.get(numbers.get(entry.id)!) ?? null,
    latentCosine: latent?.cosines.get(entry.id) ?? null,
  }));
}

/** The best chunk of each document, with the next best of the same where several are asked for. */
function byDocument(
  open: OpenIndex,
  ranked: readonly Ranked[],
  { byWords }: Lanes,
  { candidates, passages = 1 }: LaneQuery,
): RankedUnit[] {
  const keyOf = documentKeys(open);
  const documents = new Map<number | string, { best: Ranked; numbers: Set<number> }>();
  for (const entry of ranked) {
    const key = keyOf(entry.number);
    const known = documents.get(key);
    if (!known && documents.size < candidates)
      documents.set(key, { best: entry, numbers: new Set([entry.number]) });
    else if (known && known.numbers.size < passages) known.numbers.add(entry.number);
  }
  if (passages > 1) {
    for (const { number } of byWords) {
      const document = documents.get(keyOf(number));
      if (document && document.numbers.size < passages) document.numbers.add(number);
    }
  }
  return [...documents.values()].map(({ best, numbers }) => {
    const others = [...numbers].slice(1).flatMap((number) => unitId(open.reader, number) ?? []);
    return { ...rankedUnit(best), ...(others.length > 0 && { passages: others }) };
  });
}

/** The first chunk of each document. */
function bestOfDocuments(open: OpenIndex, hits: readonly WordHit[]): WordHit[] {
  const keyOf = documentKeys(open);
  const seen = new Set<number | string>();
  return hits.filter(({ number }) => {
    const key = keyOf(number);
    return !seen.has(key) && seen.add(key);
  });
}

/** Equal for units of one document. */
function documentKeys({ documents, reader }: OpenIndex): (number: number) => number | string {
  // The units of a document of many segments are in several runs.
  const mayRun = !hasLongDocuments(reader);
  return (number) => {
    const run = mayRun ? documents.runOf(number) : null;
    return run?.start ?? materialOf(reader, number) ?? number;
  };
}

function withTexts(
  ranked: readonly RankedUnit[],
  view: (unitIds: readonly string[]) => ReadonlyMap<string, ShownUnit>,
): Candidate[] {
  const shown = view(ranked.flatMap(({ unitId, passages = [] }) => [unitId, ...passages]));
  return ranked.flatMap((entry) => {
    const unit = shown.get(entry.unitId);
    if (!unit) return [];
    const passages = entry.passages?.flatMap((id) => shown.get(id) ?? []);
    // So many fields copied with `...` take fifty times as long.
    return [Object.assign(unit, entry, passages && { passages })];
  });
}

export function rankedUnit(ranked: Ranked): RankedUnit {
  const { id, score, bm25Rank, vectorRank, cosine, latentRank, latentCosine, meaning } = ranked;
  return { unitId: id, score, bm25Rank, vectorRank, cosine, latentRank, latentCosine, meaning };
}
