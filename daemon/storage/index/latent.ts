import { sha256 } from "../../../workers/ids.ts";
import type { Database } from "../sqlite.ts";
import type { LatentHead, LatentIndex, LatentState } from "./contract.ts";
import { readCounts } from "./tally.ts";

/** A row of this size is written in about a millisecond. */
const PART_BYTES = 128 * 1024;
/** Numbers that one step of a removal looks at. */
const SWEPT_NUMBERS = 512;

interface HeadRow {
  readonly version: number;
  readonly state: "filling" | "current" | "old";
  readonly fingerprint: string;
  readonly terms_version: number;
  readonly dimensions: number;
  readonly fitted_units: number;
  readonly folded_to: number;
}

export function readLatent(db: Database): LatentState {
  const rows = db.statement("SELECT * FROM latent_basis").all() as HeadRow[];
  const headOf = (state: HeadRow["state"]): LatentHead | null => {
    const row = rows.find((one) => one.state === state);
    return row ? head(row) : null;
  };
  return {
    current: headOf("current"),
    filling: headOf("filling"),
    leftovers: rows.some(({ state }) => state === "old"),
    units: readCounts(db).units,
    oldest: db.statement("SELECT coalesce(min(number), 0) FROM unit_number").pluck().get() as number,
    newest: newestNumber(db),
  };
}

function head(row: HeadRow): LatentHead {
  return {
    version: row.version,
    fingerprint: row.fingerprint,
    termsVersion: row.terms_version,
    dimensions: row.dimensions,
    fittedUnits: row.fitted_units,
    foldedTo: row.folded_to,
  };
}

export function readBasis(db: Database, version: number): Uint8Array | null {
  const parts = db.statement(PARTS).pluck().all(version) as Buffer[];
  return parts.length === 0 ? null : Buffer.concat(parts);
}

/** One part a step, inside the transaction that the caller holds open. */
export function* beginBasis(
  db: Database,
  basis: Parameters<LatentIndex["begin"]>[1],
): Generator<undefined, number> {
  db.statement("UPDATE latent_basis SET state = 'old' WHERE state = 'filling'").run();
  const { termsVersion, dimensions, fittedUnits, bytes } = basis;
  const fingerprint = sha256(bytes);
  const { lastInsertRowid } = db.statement(ADD_BASIS).run(fingerprint, termsVersion, dimensions, fittedUnits);
  const version = Number(lastInsertRowid);
  for (let from = 0, seq = 0; from < bytes.length; from += PART_BYTES, seq++) {
    db.statement(ADD_PART).run(version, seq, bytes.subarray(from, from + PART_BYTES));
    yield;
  }
  return version;
}

/** One unit a step. */
export function* addVectors(
  db: Database,
  version: number,
  { numbers, vectors, foldedTo }: Parameters<LatentIndex["add"]>[2],
): Generator<undefined, boolean> {
  const basis = db.statement(IN_USE).get(version) as { dimensions: number } | undefined;
  if (!basis) return false;
  const { dimensions } = basis;
  for (const [at, number] of numbers.entries()) {
    const vector = vectors.subarray(at * dimensions, (at + 1) * dimensions);
    if (vector.every((value) => value === 0)) continue;
    db.statement(PUT_VECTOR).run(
      version,
      new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength),
      number,
    );
    yield;
  }
  db.statement("UPDATE latent_basis SET folded_to = max(folded_to, ?) WHERE version = ?").run(
    foldedTo,
    version,
  );
  return true;
}

/** In one step: a search sees the one before or this one. */
export function swapBasis(db: Database, version: number): boolean {
  const filling = db.statement(FILLING).get(version) as { folded_to: number } | undefined;
  if (!filling || filling.folded_to < newestNumber(db)) return false;
  db.statement("UPDATE latent_basis SET state = 'old' WHERE state = 'current'").run();
  db.statement("UPDATE latent_basis SET state = 'current' WHERE version = ?").run(version);
  return true;
}

/** Removes the vectors of old bases among the next numbers; answers where to go on, null after the last. */
export function sweepVectors(db: Database, after: number): number | null {
  const last = db.statement(NUMBERS_ON).pluck().get(after) as number | null;
  if (last === null) return null;
  db.statement(DROP_VECTORS).run(after, last);
  return last;
}

/** One part a step. Call it when their vectors are gone. */
export function* dropOldBases(db: Database): Generator<undefined, void> {
  const drop = db.statement(DROP_PART);
  while (drop.run().changes > 0) yield;
  db.statement("DELETE FROM latent_basis WHERE state = 'old'").run();
}

function newestNumber(db: Database): number {
  return db.statement("SELECT coalesce(max(number), 0) FROM unit_number").pluck().get() as number;
}

const PARTS = "SELECT bytes FROM latent_basis_part WHERE version = ? ORDER BY seq";
const ADD_BASIS = `
  INSERT INTO latent_basis (state, fingerprint, terms_version, dimensions, fitted_units, folded_to)
  VALUES ('filling', ?, ?, ?, ?, 0)`;
const ADD_PART = "INSERT INTO latent_basis_part (version, seq, bytes) VALUES (?, ?, ?)";
const IN_USE = "SELECT dimensions FROM latent_basis WHERE version = ? AND state <> 'old'";
const FILLING = "SELECT folded_to FROM latent_basis WHERE version = ? AND state = 'filling'";
/** The unit may have gone since it was read. */
const PUT_VECTOR = `
  INSERT OR REPLACE INTO latent_vector (version, vector, number)
  SELECT ?, ?, number FROM unit_number WHERE number = ?`;
const NUMBERS_ON = `
  SELECT max(number) FROM (
    SELECT number FROM latent_vector WHERE number > ? ORDER BY number LIMIT ${SWEPT_NUMBERS})`;
const DROP_VECTORS = `
  DELETE FROM latent_vector WHERE number > ? AND number <= ? AND version NOT IN (
    SELECT version FROM latent_basis WHERE state <> 'old')`;
const DROP_PART = `
  DELETE FROM latent_basis_part WHERE rowid = (
    SELECT p.rowid FROM latent_basis_part AS p JOIN latent_basis AS b USING (version) WHERE b.state = 'old' LIMIT 1)`;
