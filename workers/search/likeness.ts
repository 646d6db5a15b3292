import type { SearchTasks } from "./contract.ts";
import { vectorOf } from "./vectors/exact-cosine.ts";
import type { IndexReader } from "./index-reader.ts";
import { unitById } from "./units.ts";

type Task = SearchTasks["index.likeness"];

/** Characters of a document that speak for it, and chunks whose vectors do. */
const MAX_CHARACTERS = 100_000;
const MAX_CHUNKS = 200;

const UNITS = `
  SELECT u.unit_id FROM search_unit AS u
  WHERE u.material_id = ? AND u.unit_type = 'chunk' ORDER BY u.unit_index LIMIT ${MAX_CHUNKS}`;
const VECTOR = `
  SELECT e.vector_blob FROM search_text AS t JOIN embedding AS e ON e.embedding_text_hash = t.embedding_text_hash
  WHERE t.target_id = ? AND t.target_type = 'search_unit' AND t.kind = 'body'`;

/** The text and the stored vector of a chunk, or of a document: its chunks' texts, and the mean of their directions. */
export function likenessOf(reader: IndexReader, input: Task["input"]): Task["output"] {
  return reader.snapshot(() => {
    const ids = input.unitId === null ? idsOf(reader, input.materialId) : [input.unitId];
    const units = ids.flatMap((id) => unitById(reader, id) ?? []);
    const [first] = units;
    if (!first) return null;
    const text = [first.title, ...units.map((unit) => unit.text)].join("\n\n").slice(0, MAX_CHARACTERS);
    const vectors = units.flatMap(({ unitId }) => directionOf(reader, unitId) ?? []);
    return { materialId: first.materialId, text, vector: meanOf(vectors) };
  });
}

function idsOf(reader: IndexReader, materialId: string): string[] {
  return reader.statement(UNITS).pluck().all(materialId) as string[];
}

/** Of length one; null without a vector, or for one of length zero. */
function directionOf(reader: IndexReader, unitId: string): Float32Array | null {
  const blob = reader.statement(VECTOR).pluck().get(unitId) as Uint8Array | undefined;
  if (!blob) return null;
  const vector = vectorOf(blob);
  const length = Math.hypot(...vector);
  return length > 0 && Number.isFinite(length) ? vector.map((value) => value / length) : null;
}

function meanOf(vectors: readonly Float32Array[]): Float32Array | null {
  const [first] = vectors;
  if (!first) return null;
  const mean = new Float32Array(first.length);
  for (const vector of vectors) {
    if (vector.length !== mean.length) continue;
    for (let at = 0; at < mean.length; at++) mean[at]! += vector[at]! / vectors.length;
  }
  return mean;
}
