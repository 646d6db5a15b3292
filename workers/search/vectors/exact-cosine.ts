import type { IndexReader } from "../index-reader.ts";

const OF_UNIT = `
  FROM unit_number AS n
  JOIN search_text AS t ON t.target_id = n.unit_id AND t.target_type = 'search_unit' AND t.kind = 'body'
  JOIN embedding AS e ON e.embedding_text_hash = t.embedding_text_hash
  WHERE n.number = ? AND length(e.vector_blob) = ?`;
const BY_VEC = `SELECT 1 - vec_distance_cosine(e.vector_blob, ?) ${OF_UNIT}`;
const BY_BLOB = `SELECT e.vector_blob ${OF_UNIT}`;

/** Cosines are compared to this many steps: sqlite-vec and JavaScript then agree, and equal texts stay equal. */
const STEPS = 1e6;

/**
 * The cosine of each unit's stored vector with the query, by unit number. Units without a vector of these dimensions, or
 * with one of length zero, are left out. sqlite-vec and JavaScript give the same answer.
 */
export function exactCosines(
  reader: IndexReader,
  query: Float32Array,
  numbers: Iterable<number>,
  options: { vec: boolean } = { vec: reader.hasVec },
): Map<number, number> {
  const bytes = query.byteLength;
  const bound = Buffer.from(query.buffer, query.byteOffset, bytes);
  const byVec = options.vec ? reader.statement(BY_VEC).pluck() : null;
  const byBlob = reader.statement(BY_BLOB).pluck();
  const found = new Map<number, number>();
  for (const number of numbers) {
    const cosine = byVec
      ? (byVec.get(bound, number, bytes) as number | null | undefined)
      : cosineOf(query, byBlob.get(number, bytes) as Uint8Array | undefined);
    if (typeof cosine === "number" && Number.isFinite(cosine)) {
      found.set(number, rounded(cosine));
    }
  }
  return found;
}

/** In the steps that cosines are compared in. */
export function rounded(cosine: number): number {
  return Math.round(cosine * STEPS) / STEPS;
}

/** A stored blob (little-endian float32) as a vector; copied, for a blob's memory need not be aligned. */
export function vectorOf(blob: Uint8Array): Float32Array {
  const copy = new Float32Array(blob.byteLength >> 2);
  new Uint8Array(copy.buffer).set(blob.subarray(0, copy.byteLength));
  return copy;
}

function cosineOf(query: Float32Array, blob: Uint8Array | undefined): number | null {
  if (!blob) return null;
  const stored = vectorOf(blob);
  let dot = 0;
  let queryNorm = 0;
  let storedNorm = 0;
  for (let at = 0; at < query.length; at++) {
    const a = query[at]!;
    const b = stored[at]!;
    dot += a * b;
    queryNorm += a * a;
    storedNorm += b * b;
  }
  const norm = Math.sqrt(queryNorm * storedNorm);
  return norm === 0 ? null : dot / norm;
}
