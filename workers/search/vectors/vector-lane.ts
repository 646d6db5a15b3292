import { createBackgroundLoad } from "../background-load.ts";
import type { UnitSet } from "../hidden-units.ts";
import type { IndexReader } from "../index-reader.ts";
import { createPlainKernel } from "../kernel/vector-kernel.ts";
import { PackedVectors } from "./packed-vectors.ts";
import type { ScanThread } from "./scan-thread.ts";
import { unitIds } from "../units.ts";
import { createVectorLoader, type VectorLoader } from "./vector-loader.ts";
import type { VectorSource } from "./vector-source.ts";

export interface LaneHit {
  readonly number: number;
  readonly score: number;
}

/** Vectors of one source, packed in memory and kept in step with the index. */
export interface VectorLane {
  /**
   * Takes in what is new where that takes about budgetMs at most, and half a second for what is stored packed; else it
   * follows in the background. Call it inside the snapshot that is searched, before what is asked below. `complete` is
   * false while rows are missing. A source with another key takes the place of the one before.
   */
  refresh(source: VectorSource, budgetMs: number): { complete: boolean; loaded: number };
  /** Begins to look for what `nearest` will be asked for, of any units, while something else is done. */
  lookAhead(query: Float32Array, k: number): void;
  /** The k nearest units, best first, by the cosine of packed vectors, above zero. `accept` null takes any. */
  nearest(query: Float32Array, k: number, accept: UnitSet | null): LaneHit[];
  /** The same cosine, of the units that have a vector with a direction. What is not packed yet is read from the index. */
  cosines(source: VectorSource, query: Float32Array, numbers: Iterable<number>): Map<number, number>;
  /** How the cosines of all units with the query lie. */
  spread(query: Float32Array): { mean: number; deviation: number };
  /** Resolves when everything is loaded, or it is closed. */
  loadAll(source: VectorSource): Promise<void>;
  /** Memory taken. */
  bytes(): number;
  /** Gives the memory back; the next refresh loads anew. */
  forget(): void;
}

/**
 * A search waits so long at most for what is stored packed: a million vectors take it. Loaded in the background it takes many
 * times as long while searches come, and each of them has to do without.
 */
const PACKED_MS = 500;
/** Neighbours that are looked up beside those that are asked for, where some may be deleted. */
const SPARE = 20;

/** Where many vectors are scanned, `thread` may do it while something else is done. */
export function createVectorLane(reader: IndexReader, thread?: ScanThread): VectorLane {
  // What is dropped from here is loaded no further.
  let loader: VectorLoader | null = null;
  /** As of the latest refresh. */
  let complete = false;
  const apart = createSinglePacks();
  const background = createBackgroundLoad<VectorLoader>(reader, (mine) => mine === loader);

  function loaderFor(source: VectorSource): VectorLoader {
    if (loader?.source.key !== source.key || loader.packed.isLost) forget();
    loader ??= createVectorLoader(reader, source);
    return loader;
  }

  function forget(): void {
    // The thread would hold on to the memory.
    if (loader?.packed.isShared === true) thread?.release();
    loader = null;
  }

  /** Some may be deleted. */
  const spare = (): number => (loader?.mayHoldDeleted() === true ? SPARE : 0);

  function existing<H extends { readonly number: number }>(near: readonly H[]): readonly H[] {
    const ids = unitIds(
      reader,
      near.map(({ number }) => number),
    );
    return near.filter(({ number }) => ids.has(number));
  }

  return {
    refresh(source, budgetMs) {
      const mine = loaderFor(source);
      const { rows, packed } = mine.missing();
      // Part of it would be of little use: no search waits for that.
      complete = rows <= budgetMs && mine.take(budgetMs + Math.min(packed, PACKED_MS));
      if (!complete) background.goOn(mine);
      return { complete, loaded: mine.packed.size };
    },
    lookAhead(query, k) {
      if (thread) loader?.packed.begin(query, k + spare(), thread);
    },
    nearest(query, k, accept) {
      for (;;) {
        const more = spare();
        const near = loader?.packed.top(query, k + more, accept) ?? [];
        const hits = more === 0 ? near : existing(near);
        // A file that was saved often leaves so many rows of old revisions that they take the places of all others.
        const crowded = hits.length < Math.min(k, near.length);
        if (crowded && loader?.dropDeleted() === true) continue;
        return hits.slice(0, k).map(({ number, cosine }) => ({ number, score: cosine }));
      }
    },
    cosines(source, query, numbers) {
      const mine = loader?.source.key === source.key ? loader : null;
      const cosines = mine?.packed.cosines(query, numbers) ?? new Map<number, number>();
      // What has no vector here then has none.
      if (mine && complete) return cosines;
      const rest = [...numbers].filter((number) => !cosines.has(number));
      for (const [number, cosine] of apart(source).cosinesOf(query, source.of(rest)))
        cosines.set(number, cosine);
      return cosines;
    },
    spread: (query) => loader?.packed.spread(query) ?? { mean: 0, deviation: 0 },
    loadAll: (source) => background.finish(loaderFor(source)),
    bytes: () => loader?.packed.bytes ?? 0,
    forget,
  };
}

/** Packs single vectors of a source, and keeps none. Few are asked of it, for which WebAssembly is not worth its memory. */
function createSinglePacks(): (source: VectorSource) => PackedVectors {
  let single: { readonly key: string; readonly packed: PackedVectors } | null = null;
  return ({ key, dimensions }) => {
    if (single?.key !== key) single = { key, packed: new PackedVectors(dimensions, createPlainKernel()) };
    return single.packed;
  };
}
