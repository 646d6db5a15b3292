import type { IndexReader } from "./index-reader.ts";
import { PackedVectors } from "./packed-vectors.ts";
import type { VectorRow, VectorSource } from "./vector-source.ts";

/** Packs a source's vectors, and keeps the pack in step with the index. */
export interface VectorLoader {
  readonly source: VectorSource;
  readonly packed: PackedVectors;
  /** Takes in what is new for at most budgetMs, in the reader's current snapshot; false when there is more. */
  take(budgetMs: number): boolean;
  /** Cuts rows of deleted units out of the pack; false when there are none. */
  dropDeleted(): boolean;
}

const PAGE_ROWS = 500;
/** The pack may hold this many times the units that there are: beyond it, rows of deleted units are cut out. */
const MAX_BLOAT = 1.25;

const STATE = "SELECT generation, units FROM stats WHERE id = 1";
const NUMBERS = "SELECT number FROM unit_number";
/** Grows with each commit of another connection. */
const VERSION = "PRAGMA data_version";

export function createVectorLoader(reader: IndexReader, source: VectorSource): VectorLoader {
  const packed = new PackedVectors(source.dimensions);
  let lastNumber = 0;
  let generation: number | null = null;
  /** Units that had no vector when they were read: a base that is given a model gets them one by one. */
  let bare: number[] = [];
  /** Those that are still to be asked again, and the state of the index that they are asked in. */
  let askAgain: number[] = [];
  let asked: number | null = null;

  function pack(rows: readonly VectorRow[]): void {
    for (const [number, vector] of rows) {
      if (vector === null) bare.push(number);
      else if (vector.length === source.dimensions) packed.append(number, vector);
    }
  }

  function takeNew(until: number): boolean {
    const newest = source.newest();
    while (lastNumber < newest) {
      const rows = source.after(lastNumber, PAGE_ROWS);
      pack(rows);
      lastNumber = rows.length < PAGE_ROWS ? newest : rows.at(-1)![0];
      if (performance.now() >= until) break;
    }
    return lastNumber >= newest;
  }

  function takeLate(until: number): boolean {
    if (bare.length === 0 && askAgain.length === 0) return true;
    const version = reader.statement(VERSION).pluck().get() as number;
    if (version !== asked && askAgain.length === 0) {
      asked = version;
      askAgain = bare;
      bare = [];
    }
    while (askAgain.length > 0 && performance.now() < until) pack(source.of(askAgain.splice(-PAGE_ROWS)));
    return askAgain.length === 0;
  }

  function dropDeleted(): boolean {
    const before = packed.size;
    packed.retain(new Set(reader.statement(NUMBERS).pluck().all() as number[]));
    return packed.size < before;
  }

  /** The index's generation grows when units are deleted. */
  function boundBloat(): void {
    const state = reader.statement(STATE).get() as { generation: number; units: number } | undefined;
    if (!state || state.generation === generation) return;
    generation = state.generation;
    if (packed.size > state.units * MAX_BLOAT) dropDeleted();
  }

  return {
    source,
    packed,
    dropDeleted,
    take(budgetMs) {
      const until = performance.now() + budgetMs;
      const complete = takeNew(until) && takeLate(until);
      boundBloat();
      return complete;
    },
  };
}
