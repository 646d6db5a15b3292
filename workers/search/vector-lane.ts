import { exactCosines, vectorOf } from "./exact-cosine.ts";
import type { IndexReader } from "./index-reader.ts";
import { createPackedVectors, type PackedVectors } from "./packed-vectors.ts";

export interface LaneHit {
  readonly number: number;
  readonly score: number;
}

/** A base's vectors, packed in memory and kept in step with the index. */
export interface VectorLane {
  /**
   * Takes in what is new, for at most budgetMs; the rest follows in the background. Call it inside the snapshot that is
   * searched. `complete` is false while rows are missing.
   */
  refresh(dimensions: number, budgetMs: number): { complete: boolean; loaded: number };
  /** The k nearest units, best first, by exact cosine above zero. `accept` null takes any. */
  nearest(query: Float32Array, k: number, accept: ReadonlySet<number> | null): LaneHit[];
  /** Resolves when everything is loaded, or it is closed. */
  loadAll(dimensions: number): Promise<void>;
  /** Memory taken. */
  bytes(): number;
  /** Gives the memory back; the next refresh loads anew. */
  forget(): void;
  close(): void;
}

const PAGE_ROWS = 500;
const BACKGROUND_SLICE_MS = 15;
/** Approximate neighbours that are scored exactly, beside those that are asked for. */
const RESCORED = 50;
/** The cache may hold this many times the units that there are: beyond it, rows of deleted units are cut out. */
const MAX_BLOAT = 1.25;

const STATE = "SELECT generation, units FROM stats WHERE id = 1";
const NEWEST = "SELECT coalesce(max(number), 0) FROM unit_number";
const NUMBERS = "SELECT number FROM unit_number";
/** CROSS JOIN keeps the order of the loops, so that LIMIT reads no more than it answers. */
const VECTORS_AFTER = `
  SELECT n.number, e.vector_blob
  FROM unit_number AS n
  CROSS JOIN search_text AS t ON t.target_id = n.unit_id AND t.target_type = 'search_unit' AND t.kind = 'body'
  CROSS JOIN embedding AS e ON e.embedding_text_hash = t.embedding_text_hash
  WHERE n.number > ? ORDER BY n.number LIMIT ${PAGE_ROWS}`;

export function createVectorLane(reader: IndexReader): VectorLane {
  let packed: PackedVectors | null = null;
  let lastNumber = 0;
  let generation: number | null = null;
  let background: NodeJS.Immediate | null = null;
  let closed = false;

  function take(dimensions: number, budgetMs: number): boolean {
    if (packed?.dimensions !== dimensions) {
      packed = createPackedVectors(dimensions);
      lastNumber = 0;
      generation = null;
    }
    const newest = reader.statement(NEWEST).pluck().get() as number;
    const until = performance.now() + budgetMs;
    while (lastNumber < newest) {
      const rows = reader.statement(VECTORS_AFTER).raw().all(lastNumber) as [number, Uint8Array][];
      for (const [number, blob] of rows) {
        if (blob.byteLength === dimensions * 4) packed.append(number, vectorOf(blob));
      }
      lastNumber = rows.length < PAGE_ROWS ? newest : rows.at(-1)![0];
      if (performance.now() >= until) break;
    }
    dropDeleted(packed);
    return lastNumber >= newest;
  }

  function dropDeleted(rows: PackedVectors): void {
    const state = reader.statement(STATE).get() as { generation: number; units: number } | undefined;
    if (!state || state.generation === generation) return;
    generation = state.generation;
    if (rows.size <= state.units * MAX_BLOAT) return;
    rows.retain(new Set(reader.statement(NUMBERS).pluck().all() as number[]));
  }

  function goOn(dimensions: number): void {
    if (background || closed) return;
    background = setImmediate(() => {
      background = null;
      try {
        if (!closed && !reader.snapshot(() => take(dimensions, BACKGROUND_SLICE_MS))) goOn(dimensions);
      } catch {
        // The next search meets the same error in its own turn and answers with it.
      }
    });
  }

  function forget(): void {
    if (background) clearImmediate(background);
    background = null;
    packed = null;
  }

  return {
    refresh(dimensions, budgetMs) {
      const complete = take(dimensions, budgetMs);
      if (!complete) goOn(dimensions);
      return { complete, loaded: packed?.size ?? 0 };
    },
    nearest(query, k, accept) {
      const near = packed?.top(query, k + RESCORED, accept) ?? [];
      const exact = exactCosines(
        reader,
        query,
        near.map((row) => row.number),
      );
      return [...exact]
        .map(([number, score]) => ({ number, score }))
        .filter((hit) => hit.score > 0)
        .sort((a, b) => b.score - a.score || a.number - b.number)
        .slice(0, k);
    },
    async loadAll(dimensions) {
      while (!closed && !reader.snapshot(() => take(dimensions, BACKGROUND_SLICE_MS))) {
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    bytes: () => packed?.bytes ?? 0,
    forget,
    close() {
      closed = true;
      forget();
    },
  };
}
