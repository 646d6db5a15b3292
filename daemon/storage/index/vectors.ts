import { endianness } from "node:os";
import type { Database } from "../sqlite.ts";
import { MissingVectors, RevisionRejected, type MaterialRevision } from "./contract.ts";

export function hasVector(db: Database, textHash: string): boolean {
  return db.statement("SELECT 1 FROM embedding WHERE embedding_text_hash = ?").get(textHash) !== undefined;
}

/**
 * Coverage (K8.4), looked at before the first write: each unit's text has a vector in the index or brings a sound one.
 * Answers the vectors to store. One step a unit. Throws MissingVectors and RevisionRejected.
 */
export function* coverUnits(
  db: Database,
  revision: Pick<MaterialRevision, "units" | "vectors">,
): Generator<undefined, Map<string, Float32Array>> {
  const fresh = new Map<string, Float32Array>();
  if (revision.vectors === null) return fresh;
  const missing = new Set<string>();
  let dimensions = storedDimensions(db);
  for (const { textHash } of revision.units) {
    if (fresh.has(textHash) || missing.has(textHash) || hasVector(db, textHash)) continue;
    const vector = revision.vectors.get(textHash);
    if (vector) {
      dimensions ??= vector.length;
      refuseUnsound(vector, dimensions);
      fresh.set(textHash, vector);
    } else missing.add(textHash);
    yield;
  }
  if (missing.size > 0) throw new MissingVectors([...missing]);
  return fresh;
}

export function storeVector(db: Database, textHash: string, vector: Float32Array): void {
  db.statement(
    "INSERT INTO embedding (embedding_text_hash, vector_blob) VALUES (?, ?) ON CONFLICT DO NOTHING",
  ).run(textHash, toBlob(vector));
}

/** A unit that stays points to this vector from now on. Answers the hash before, or undefined when it stays too. */
export function followVector(db: Database, unitId: string, hash: string | null): string | null | undefined {
  const row = db.statement(VECTOR_OF).get(unitId) as { hash: string | null } | undefined;
  if (!row || row.hash === hash) return undefined;
  db.statement(SET_VECTOR).run(hash, unitId);
  return row.hash;
}

/** Little-endian float32, whatever this machine's order is. */
function toBlob(vector: Float32Array): Buffer {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  return endianness() === "LE" ? bytes : Buffer.from(bytes).swap32();
}

/** Null for an index without vectors. */
export function storedDimensions(db: Database): number | null {
  const bytes = db.statement("SELECT length(vector_blob) AS bytes FROM embedding LIMIT 1").get() as
    | { bytes: number }
    | undefined;
  return bytes ? bytes.bytes / 4 : null;
}

function refuseUnsound(vector: Float32Array, dimensions: number): void {
  if (vector.length === 0) throw new RevisionRejected("a vector has no dimensions");
  if (vector.length !== dimensions) {
    throw new RevisionRejected(`a vector has ${vector.length} dimensions where the index has ${dimensions}`);
  }
  if (!vector.every(Number.isFinite)) throw new RevisionRejected("a vector holds a value that is not finite");
}

const VECTOR_OF = `
  SELECT embedding_text_hash AS hash FROM search_text
  WHERE target_id = ? AND target_type = 'search_unit' AND kind = 'body'`;
const SET_VECTOR = `
  UPDATE search_text SET embedding_text_hash = ?
  WHERE target_id = ? AND target_type = 'search_unit' AND kind = 'body'`;
