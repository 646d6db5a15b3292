import { vectorOf } from "./exact-cosine.ts";
import type { IndexReader } from "./index-reader.ts";
import { PackedVectors } from "./packed-vectors.ts";

/** Packs a base's vectors of one dimension, and keeps the pack in step with the index. */
export interface VectorLoader {
  readonly packed: PackedVectors;
  /** Takes in what is new for at most budgetMs, in the reader's current snapshot; false when there is more. */
  take(budgetMs: number): boolean;
}

const PAGE_ROWS = 500;
/** The pack may hold this many times the units that there are: beyond it, rows of deleted units are cut out. */
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

export function createVectorLoader(reader: IndexReader, dimensions: number): VectorLoader {
  const packed = new PackedVectors(dimensions);
  let lastNumber = 0;
  let generation: number | null = null;

  /** The index's generation grows when units are deleted. */
  function dropDeleted(): void {
    const state = reader.statement(STATE).get() as { generation: number; units: number } | undefined;
    if (!state || state.generation === generation) return;
    generation = state.generation;
    if (packed.size <= state.units * MAX_BLOAT) return;
    packed.retain(new Set(reader.statement(NUMBERS).pluck().all() as number[]));
  }

  return {
    packed,
    take(budgetMs) {
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
      dropDeleted();
      return lastNumber >= newest;
    },
  };
}
