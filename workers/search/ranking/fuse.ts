import { plainWeights, type LaneWeights } from "./lane-weights.ts";

/** One lane's answer, best first. Ids are unit ids. */
export interface LaneEntry {
  readonly id: string;
  readonly score: number;
  /** Of the score, what the entry earned by itself; all of it when absent. */
  readonly own?: number;
}

export type Fusion = { readonly kind: "rrf" } | { readonly kind: "convex"; readonly alpha: number };

export interface FusedEntry {
  readonly id: string;
  readonly score: number;
  readonly bm25Rank: number | null;
  readonly vectorRank: number | null;
  readonly latentRank: number | null;
}

/** Entries of a vector lane, and cosines of more units than it names. */
export interface CosineLane {
  readonly entries: readonly LaneEntry[];
  readonly cosines: ReadonlyMap<string, number>;
}

/** The lanes of a search; `latent` where it takes part. */
export interface FusedLanes {
  readonly words: readonly LaneEntry[];
  readonly vectors: CosineLane;
  readonly latent: CosineLane | null;
}

/** Reciprocal rank fusion's constant: how flat the top of a list counts. */
export const RRF_K = 60;

/**
 * Ranked lists → one, best first: each entry gets the sum of 1 / (60 + rank). Deterministic; ties go by id.
 */
export function fuseByRank(lists: readonly (readonly string[])[]): { id: string; score: number }[] {
  const scores = new Map<string, number>();
  for (const list of lists) {
    list.forEach((id, at) => scores.set(id, (scores.get(id) ?? 0) + 1 / (RRF_K + at + 1)));
  }
  return [...scores].map(([id, score]) => ({ id, score })).sort(byScoreThenId);
}

/**
 * The lanes → one list over the union of their first `candidates`, best first, ties by id; of it the first `kept`, as
 * many as there are candidates by default.
 * Words and cosines may know scores of more units than are candidates: convex fusion then weighs each candidate by all
 * lanes, s = w·bm25/top + v·max(0, cos) + l·max(0, latent cos), whichever lane brought it. The top is the best of what
 * entries earned by themselves: what documents add to some would else make less of the words of all. `weights` is for
 * convex fusion; by default w = 1 − a, v = a.
 */
export function fuse(
  { words, vectors, latent }: FusedLanes,
  options: { fusion: Fusion; candidates: number; kept?: number; weights?: LaneWeights },
): FusedEntry[] {
  const { fusion, candidates, kept = candidates } = options;
  const bm25Rank = ranks(words.slice(0, candidates));
  const vectorRank = ranks(vectors.entries.slice(0, candidates));
  const latentRank = ranks(latent?.entries.slice(0, candidates) ?? []);
  const union = [...new Set([...bm25Rank.keys(), ...vectorRank.keys(), ...latentRank.keys()])];
  const scoreOf =
    fusion.kind === "rrf"
      ? reciprocal(bm25Rank, vectorRank)
      : convex({ words, vectors, latent }, options.weights ?? plainWeights(fusion.alpha));
  return union
    .map((id) => ({
      id,
      score: scoreOf(id),
      bm25Rank: bm25Rank.get(id) ?? null,
      vectorRank: vectorRank.get(id) ?? null,
      latentRank: latentRank.get(id) ?? null,
    }))
    .sort(byScoreThenId)
    .slice(0, kept);
}

export function byScoreThenId(a: { id: string; score: number }, b: { id: string; score: number }): number {
  return b.score - a.score || (a.id < b.id ? -1 : Number(a.id > b.id));
}

function ranks(list: readonly LaneEntry[]): Map<string, number> {
  return new Map(list.map((entry, at) => [entry.id, at + 1]));
}

function reciprocal(...lanes: ReadonlyMap<string, number>[]): (id: string) => number {
  return (id) =>
    lanes.reduce((sum, lane) => {
      const rank = lane.get(id);
      return rank === undefined ? sum : sum + 1 / (RRF_K + rank);
    }, 0);
}

function convex({ words, vectors, latent }: FusedLanes, weights: LaneWeights): (id: string) => number {
  const bm25 = new Map(words.map((entry) => [entry.id, entry.score]));
  const best = words.reduce((most, entry) => Math.max(most, entry.own ?? entry.score), 0);
  return (id) => {
    const byWords = best > 0 ? (bm25.get(id) ?? 0) / best : 0;
    const near = ({ cosines }: CosineLane): number => Math.max(0, cosines.get(id) ?? 0);
    return (
      weights.words * byWords + weights.vectors * near(vectors) + weights.latent * (latent ? near(latent) : 0)
    );
  };
}
