import { createSlicer } from "../../runtime/yielding.ts";
import type { Database } from "../sqlite.ts";
import { checkMaterials, type Seen } from "./check-materials.ts";
import { checkPacks } from "./check-packs.ts";
import type { CheckReport } from "./contract.ts";
import { createFindings, type Findings } from "./findings.ts";
import type { Maintenance } from "./maintenance.ts";
import type { Pace } from "./sliced.ts";
import { readCounts } from "./tally.ts";
import { usesTrigrams } from "./trigram.ts";

/** The file itself is broken: nothing in it can be trusted. */
export const DAMAGED = "damaged";

/**
 * Reads everything: SQLite's own check of each table, then materials and units, then what points nowhere, then packs of
 * vectors, then the counters. Long, in slices; the caller holds the base's lock, so that nothing moves meanwhile.
 */
export async function checkIndex(db: Database, maintenance: Maintenance, pace: Pace): Promise<CheckReport> {
  const findings = createFindings();
  const tables = db.statement(TABLES).pluck().all() as string[];
  for (const table of tables) {
    for (const problem of await maintenance.run({ kind: "integrity", path: db.path, table })) {
      findings.add(DAMAGED, `${table}: ${problem}`);
    }
    pace.stop.throwIfAborted();
  }
  if (findings.has(DAMAGED)) return findings.report({ units: 0, vectors: 0 });
  const seen = await sliced(checkMaterials(db, findings), pace);
  await sliced(checkOwners(db, findings), pace);
  await sliced(checkPacks(db, findings), pace);
  checkCounts(db, findings, seen);
  if (usesTrigrams(db)) {
    const unfilled = db
      .statement("SELECT count(*) FROM search_text WHERE fts_rowid IS NULL")
      .pluck()
      .get() as number;
    if (unfilled > 0) findings.add("text-without-trigrams", undefined, unfilled);
  }
  const vectors = db.statement("SELECT count(*) FROM embedding").pluck().get() as number;
  return findings.report({ units: seen.units, vectors });
}

/** Rows that no one owns. One page a step. */
function* checkOwners(db: Database, findings: Findings): Generator<undefined, void> {
  for (const { kind, sql } of ORPHANS) {
    let after = Number.MIN_SAFE_INTEGER;
    for (;;) {
      const page = db.statement(sql).all(after) as { at: number; name: string; owned: number }[];
      for (const row of page) if (row.owned === 0) findings.add(kind, row.name);
      yield;
      const last = page.at(-1);
      if (!last) break;
      after = last.at;
    }
  }
  const lost = db.statement(LOST_BASES).pluck().get() as number;
  if (lost > 0) findings.add("latent-basis-without-numbers", undefined, lost);
  const shapes = db.statement(LOST_SHAPES).pluck().get() as number;
  if (shapes > 0) findings.add("shape-without-material", undefined, shapes);
}

function checkCounts(db: Database, findings: Findings, seen: Seen): void {
  const counts = readCounts(db);
  for (const name of ["materials", "units"] as const) {
    const off = Math.abs(counts[name] - seen[name]);
    if (off > 0) findings.add("counter-off", `${name}: ${counts[name]} counted, ${seen[name]} found`, off);
  }
}

async function sliced<T>(steps: Generator<undefined, T>, pace: Pace): Promise<T> {
  const slicer = createSlicer(pace.sliceMs);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await slicer.pause();
    pace.stop.throwIfAborted();
  }
}

const TABLES =
  "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";

function orphan(
  kind: string,
  table: string,
  key: string,
  name: string,
  owner: string,
): { kind: string; sql: string } {
  return {
    kind,
    sql: `SELECT ${key} AS at, ${name} AS name, EXISTS (${owner}) AS owned FROM ${table} AS row
      WHERE ${key} > ? ORDER BY ${key} LIMIT 256`,
  };
}

const ORPHANS = [
  orphan(
    "text-without-unit",
    "search_text",
    "rowid",
    "target_id",
    "SELECT 1 FROM search_unit WHERE unit_id = row.target_id",
  ),
  orphan(
    "number-without-unit",
    "unit_number",
    "number",
    "unit_id",
    "SELECT 1 FROM search_unit WHERE unit_id = row.unit_id",
  ),
  orphan(
    "latent-vector-without-unit",
    "latent_vector",
    "number",
    "number",
    "SELECT 1 FROM unit_number WHERE number = row.number",
  ),
  orphan(
    "words-without-unit",
    "unit_words_docsize",
    "id",
    "id",
    "SELECT 1 FROM unit_number WHERE number = row.id",
  ),
  orphan(
    "vector-without-text",
    "embedding",
    "rowid",
    "embedding_text_hash",
    "SELECT 1 FROM search_text WHERE embedding_text_hash = row.embedding_text_hash",
  ),
  orphan(
    "content-without-material",
    "content",
    "rowid",
    "content_hash",
    `SELECT 1 FROM material WHERE current_content_hash = row.content_hash
      UNION ALL SELECT 1 FROM search_unit WHERE content_hash = row.content_hash
      UNION ALL SELECT 1 FROM content_segment WHERE content_hash = row.content_hash`,
  ),
] as const;
const LOST_BASES = `
  SELECT count(*) FROM latent_basis AS b WHERE state <> 'old' AND NOT EXISTS (
    SELECT 1 FROM latent_basis_part AS p WHERE p.version = b.version)`;
const LOST_SHAPES = `
  SELECT count(*) FROM material_words WHERE NOT EXISTS (
    SELECT 1 FROM material WHERE material.material_id = material_words.material_id)`;
