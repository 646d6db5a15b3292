import { createBackgroundLoad } from "./background-load.ts";
import type { UnitSet } from "./hidden-units.ts";
import type { IndexReader } from "./index-reader.ts";
import { createVectorLoader, type VectorLoader } from "./vector-loader.ts";
import type { VectorSource } from "./vector-source.ts";

export interface LaneHit {
  readonly number: number;
  readonly score: number;
}

/** Vectors of one source, packed in memory and kept in step with the index. */
export interface VectorLane {
  /**
   * Takes in what is new, for at most budgetMs; the rest follows in the background. Call it inside the snapshot that is
   * searched. `complete` is false while rows are missing. A source with another key takes the place of the one before.
   */
  refresh(source: VectorSource, budgetMs: number): { complete: boolean; loaded: number };
  /** The k nearest units, best first, by exact cosine above zero. `accept` null takes any. */
  nearest(query: Float32Array, k: number, accept: UnitSet | null): LaneHit[];
  /** How the cosines of all units with the query lie. */
  spread(query: Float32Array): { mean: number; deviation: number };
  /** Resolves when everything is loaded, or it is closed. */
  loadAll(source: VectorSource): Promise<void>;
  /** Memory taken. */
  bytes(): number;
  /** Gives the memory back; the next refresh loads anew. */
  forget(): void;
}

/** Approximate neighbours that are scored exactly, beside those that are asked for. */
const RESCORED = 20;

export function createVectorLane(reader: IndexReader): VectorLane {
  // What is dropped from here is loaded no further.
  let loader: VectorLoader | null = null;
  const background = createBackgroundLoad<VectorLoader>(reader, (mine) => mine === loader);

  function loaderFor(source: VectorSource): VectorLoader {
    if (loader?.source.key !== source.key) loader = createVectorLoader(reader, source);
    return loader;
  }

  return {
    refresh(source, budgetMs) {
      const mine = loaderFor(source);
      const complete = mine.take(budgetMs);
      if (!complete) background.goOn(mine);
      return { complete, loaded: mine.packed.size };
    },
    nearest(query, k, accept) {
      for (;;) {
        const near = loader?.packed.top(query, k + RESCORED, accept) ?? [];
        const numbers = near.map((row) => row.number);
        const cosines = loader?.source.cosines(query, numbers) ?? new Map<number, number>();
        // A file that was saved often leaves so many rows of old revisions that they take the places of all others.
        const crowded = cosines.size < Math.min(k, near.length);
        if (crowded && loader?.dropDeleted() === true) continue;
        return [...cosines]
          .map(([number, score]) => ({ number, score }))
          .filter((hit) => hit.score > 0)
          .sort((a, b) => b.score - a.score || a.number - b.number)
          .slice(0, k);
      }
    },
    spread: (query) => loader?.packed.spread(query) ?? { mean: 0, deviation: 0 },
    loadAll: (source) => background.finish(loaderFor(source)),
    bytes: () => loader?.packed.bytes ?? 0,
    forget() {
      loader = null;
    },
  };
}
