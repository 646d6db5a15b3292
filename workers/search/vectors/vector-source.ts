import { vectorOf } from "./exact-cosine.ts";
import type { IndexReader } from "../index-reader.ts";
import { storedPacks, type StoredPacks } from "./stored-packs.ts";
import { newestNumber } from "../units.ts";
import type { VectorRow } from "./vector-run.ts";

/** Where an index keeps vectors of one kind, of equal dimensions. */
export interface VectorSource {
  /** Another one for vectors that can't be compared with these. */
  readonly key: string;
  readonly dimensions: number;
  /** Units above this number have no row yet. */
  newest(): number;
  /** In the order of their numbers; fewer than `limit` when these are all. */
  after(number: number, limit: number): VectorRow[];
  /** Of these units, as far as the index has them. */
  of(numbers: readonly number[]): VectorRow[];
  /** Many of them packed ready; null where the index keeps none. */
  readonly packs: StoredPacks | null;
}

const JOINED = `
  JOIN search_text AS t ON t.target_id = n.unit_id AND t.target_type = 'search_unit' AND t.kind = 'body'
  LEFT JOIN embedding AS e ON e.embedding_text_hash = t.embedding_text_hash`;
/** CROSS JOIN keeps the order of the loops, so that LIMIT reads no more than it answers. */
const AFTER = `
  SELECT n.number, e.vector_blob FROM unit_number AS n CROSS ${JOINED}
  WHERE n.number > ? ORDER BY n.number LIMIT ?`;
const OF = `
  SELECT n.number, e.vector_blob FROM json_each(?) AS wanted CROSS JOIN unit_number AS n ON n.number = wanted.value ${JOINED}`;

type BlobRow = [number: number, blob: Uint8Array | null];

/** The embedding model's vectors. */
export function embeddingSource(reader: Pick<IndexReader, "statement">, dimensions: number): VectorSource {
  const rows = (found: BlobRow[]): VectorRow[] =>
    found.flatMap(([number, blob]): VectorRow[] => {
      if (blob === null) return [[number, null]];
      return blob.byteLength === dimensions * 4 ? [[number, vectorOf(blob)]] : [[number, NO_VECTOR]];
    });
  return {
    key: `embedding ${dimensions}`,
    dimensions,
    newest: () => newestNumber(reader),
    after: (number, limit) => rows(reader.statement(AFTER).raw().all(number, limit) as BlobRow[]),
    of: (numbers) => rows(reader.statement(OF).raw().all(JSON.stringify(numbers)) as BlobRow[]),
    packs: storedPacks(reader, dimensions),
  };
}

/** Of another model, or damaged. */
export const NO_VECTOR = new Float32Array();
