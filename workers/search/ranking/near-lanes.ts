import { loadStaticModel } from "../../embed/static-model.ts";
import type { QueryUnit } from "../../words/query.ts";
import type { LaneQuery } from "../contract.ts";
import type { WordHit } from "./evidence.ts";
import { exactCosines } from "../vectors/exact-cosine.ts";
import type { UnitSet } from "../hidden-units.ts";
import { doubt, laneWeights, withoutForeign, type LaneWeights } from "./lane-weights.ts";
import type { LatentQuery } from "../vectors/latent-lane.ts";
import type { OpenIndex } from "../readers.ts";
import { readPassages, type Reading } from "./reading.ts";
import { saysSmallWordsAlone } from "./small-words.ts";
import type { Tokenizer } from "../tokenizer.ts";
import type { Understood } from "../understand.ts";
import type { LaneHit } from "../vectors/vector-lane.ts";
import { embeddingSource, type VectorSource } from "../vectors/vector-source.ts";
import { fullWorth } from "./word-lane.ts";

/** What is near the query in one kind of vectors, and how near all candidates are. */
export interface NearUnits {
  readonly hits: readonly LaneHit[];
  readonly cosines: ReadonlyMap<number, number>;
}

export interface NearLanes {
  readonly vectors: NearUnits;
  /** Null where the base's latent vectors take no part. */
  readonly latent: NearUnits | null;
  readonly weights: LaneWeights | undefined;
  /** Where the words are unsure: what passages were read for. */
  readonly reading: Reading | null;
  readonly degraded: string | null;
}

export const NOTHING_NEAR: NearUnits = { hits: [], cosines: new Map() };

/** A search waits this long for vectors to be loaded, then answers with those that are. */
const LOADING_MS = 100;
/** Neighbours that are scored exactly beside those that are asked for. */
const RESCORED = 20;
/** Of what the words rank first so many are compared with what is nearest: one of them may be an accident. */
const LEADING = 5;

/** Words of a short query; the more there are, the less of them one passage says. */
const SHORT = 8;

interface Asking {
  readonly open: OpenIndex;
  readonly tokenizer: Tokenizer;
  readonly wanted: Understood;
  readonly seen: UnitSet | null;
  readonly query: LaneQuery;
}

/** Lanes of vectors that are being asked. */
export interface OpenNear {
  /** A query that the model knows no word of has a vector of length zero, which is near nothing. */
  readonly known: boolean;
  readonly source: VectorSource;
  readonly loading: { readonly complete: boolean; readonly loaded: number } | null;
  readonly latent: LatentQuery | null;
}

/**
 * Brings the lanes of vectors up to date and begins to look for what is near, while a search ranks by words. Latent vectors
 * take part beside a weak model's (convex fusion): beside a strong one's, in equal ranks, a third list of weaker votes could
 * only take good ones down.
 */
export function openNear({ open, tokenizer, wanted, seen, query }: Asking, vector: Float32Array): OpenNear {
  const known = vector.some((value) => value !== 0);
  const source = embeddingSource(open.reader, vector.length);
  const loading = known ? open.vectors.refresh(source, LOADING_MS) : null;
  if (known && seen === null) open.vectors.lookAhead(vector, neighbours(query));
  const isConvex = query.fusion.kind === "convex";
  const latent = isConvex ? open.latent.ask(tokenizer, wanted.text, LOADING_MS) : null;
  if (latent && seen === null) open.latent.lookAhead(latent, latentNeighbours(query));
  return { known, source, loading, latent };
}

/** Of the lanes that were opened, for a search that has ranked by words. */
export function askNear(
  asking: Asking,
  { known, source, loading, latent }: OpenNear,
  vector: Float32Array,
  words: readonly WordHit[],
): NearLanes {
  const { open, seen, query } = asking;
  const { fusion } = query;
  const near = known ? nearest(asking, vector) : [];
  const nearLatent = latent ? open.latent.nearest(latent, latentNeighbours(query), seen) : [];
  const union = new Set([...words, ...near, ...nearLatent].map(({ number }) => number));
  const vectors = known
    ? {
        hits: near,
        cosines: completed(near, union, (rest) =>
          fusion.kind === "rrf"
            ? exactCosines(open.reader, vector, rest)
            : open.vectors.cosines(source, vector, rest),
        ),
      }
    : NOTHING_NEAR;
  const share = open.latent.hasBasis() ? (latent?.share ?? 0) : null;
  const weighed =
    fusion.kind === "convex"
      ? weigh(asking, fusion.alpha, { share, vector, known, words, vectors })
      : { weights: undefined, doubted: 0 };
  const { reading, failure } = readPassages(
    open.reader,
    query.model,
    { text: query.query, doubted: weighed.doubted, nearest: near[0]?.score ?? 0 },
    { near, words },
  );
  return {
    vectors,
    latent: latent && {
      hits: nearLatent,
      cosines: completed(nearLatent, union, (rest) => open.latent.cosines(latent, rest)),
    },
    weights: weighed.weights,
    reading,
    degraded: stillLoading(loading, latent) ?? failure,
  };
}

function neighbours({ candidates, fusion }: LaneQuery): number {
  return fusion.kind === "rrf" ? candidates + RESCORED : candidates;
}

/** Half as many as of the others: each that they do not bring is one more to be ranked. */
function latentNeighbours({ candidates }: LaneQuery): number {
  return Math.ceil(candidates / 2);
}

/**
 * Small differences of a strong model's cosines make its reciprocal ranks: these cosines are exact, of the stored vectors. At
 * 15 µs each they take little beside what such a model takes to embed a query. In a weighted sum packed vectors' will do.
 */
function nearest({ open, seen, query }: Asking, vector: Float32Array): LaneHit[] {
  const { candidates, fusion } = query;
  const near = open.vectors.nearest(vector, neighbours(query), seen);
  if (fusion.kind !== "rrf") return near;
  const numbers = near.map(({ number }) => number);
  return [...exactCosines(open.reader, vector, numbers)]
    .map(([number, score]) => ({ number, score }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.number - b.number)
    .slice(0, candidates);
}

function weigh(
  { open, tokenizer, wanted, query }: Asking,
  alpha: number,
  found: {
    share: number | null;
    vector: Float32Array;
    known: boolean;
    words: readonly WordHit[];
    vectors: NearUnits;
  },
): { weights: LaneWeights; doubted: number } {
  const { share, vector, known, words, vectors } = found;
  // Small words alone mean nothing: who asks for them means the text that says them.
  if (!known || saysSmallWordsAlone(wanted.units)) {
    const { latent } = laneWeights(alpha, share, { covered: 1, standsOut: 0, isEveryday: false });
    return { weights: { words: 1 - latent, vectors: 0, latent }, doubted: 0 };
  }
  // A pasted text is asked for by its telling words alone: how many of them one unit has says nothing.
  const worth = query.like ? 0 : fullWorth(open, tokenizer, wanted.units);
  // With what its document adds: rare words that are spread over a document are no less sure.
  const best = words.reduce((most, { score }) => Math.max(most, score), 0);
  const { deviation } = open.vectors.spread(vector);
  const leading = words.slice(0, LEADING).map(({ number }) => vectors.cosines.get(number) ?? 0);
  const nearest = vectors.hits[0]?.score ?? 0;
  const confidence = {
    covered: worth > 0 ? best / worth : 1,
    standsOut: deviation > 0 ? (nearest - Math.max(0, ...leading)) / deviation : 0,
    isEveryday: query.model !== null && !query.like && isEveryday(open, tokenizer, wanted.units, query.model),
  };
  const weights = laneWeights(alpha, share, confidence);
  return {
    weights: withoutForeign(weights, query.model ? latinShare(wanted.text) : 1),
    doubted: doubt(confidence),
  };
}

/** A short query without names, of whose words the base has only such as the model knows: vectors see what words see. */
function isEveryday(
  { postings }: OpenIndex,
  tokenizer: Tokenizer,
  units: readonly QueryUnit[],
  files: NonNullable<LaneQuery["model"]>,
): boolean {
  const asked = units.filter(({ kind }) => kind !== "whole" && kind !== "variant");
  if (asked.length > SHORT || asked.some(({ kind }) => kind !== "word")) return false;
  const { placeOf } = loadStaticModel(files);
  return asked.every(({ tokens: [token = ""] }) => {
    const [term = null] = tokenizer.terms([token]);
    return term === null || postings.frequency(term) === 0 || placeOf(token) !== null;
  });
}

/** The embedded model knows words of Latin letters and numbers alone: what share of the text's characters are such. */
function latinShare(text: string): number {
  const all = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  return all === 0 ? 1 : (text.match(/[\p{sc=Latin}\p{N}]/gu)?.length ?? 0) / all;
}

/** Of all candidates, whichever lane brought them. */
function completed(
  hits: readonly LaneHit[],
  union: ReadonlySet<number>,
  cosinesOf: (rest: number[]) => ReadonlyMap<number, number>,
): ReadonlyMap<number, number> {
  const cosines = new Map(hits.map(({ number, score }) => [number, score]));
  const rest = [...union].filter((number) => !cosines.has(number));
  for (const [number, cosine] of cosinesOf(rest)) cosines.set(number, cosine);
  return cosines;
}

function stillLoading(
  vectors: { complete: boolean; loaded: number } | null,
  latent: LatentQuery | null,
): string | null {
  if (vectors?.complete === false) return `vectors are still being loaded: ${vectors.loaded} so far`;
  return latent?.complete === false ? "latent vectors are still being loaded" : null;
}
