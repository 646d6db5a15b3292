import { createHash } from "node:crypto";
import type { Database } from "../sqlite.ts";
import type { Findings } from "./findings.ts";
import { materialsAfter, type MaterialRow } from "./materials.ts";

interface UnitRow {
  readonly unit_id: string;
  readonly content_hash: string;
  readonly char_start: number;
  readonly char_end: number;
  readonly text: string | null;
  readonly vector_hash: string | null;
  readonly vector: Buffer | null;
  readonly number: number | null;
  readonly words: number;
}

export interface Seen {
  materials: number;
  units: number;
}

/**
 * Each material with its text and units: hashes and slices are worked out again, and each unit has its text, number, words
 * and vector. One material a step. A material whose removal has begun is only counted.
 */
export function* checkMaterials(db: Database, findings: Findings): Generator<undefined, Seen> {
  const seen: Seen = { materials: 0, units: 0 };
  const dimensions = { bytes: null as number | null };
  let after = "";
  for (;;) {
    const page = materialsAfter(db, after, PAGE);
    for (const material of page) {
      seen.materials++;
      seen.units += yield* checkMaterial(db, findings, material, dimensions);
    }
    const last = page.at(-1);
    if (!last) return seen;
    after = last.material_id;
  }
}

function* checkMaterial(
  db: Database,
  findings: Findings,
  material: MaterialRow,
  dimensions: { bytes: number | null },
): Generator<undefined, number> {
  const hash = material.current_content_hash;
  const text = hash === null ? null : textOf(db, hash);
  if (text !== null && sha256(text) !== hash) findings.add("content-damaged", material.relative_path);
  if (hash !== null && text === null) findings.add("material-without-content", material.relative_path);
  yield;
  let units = 0;
  let after = -1;
  for (;;) {
    const page = db.statement(UNITS).all(material.material_id, after) as (UnitRow & { unit_index: number })[];
    for (const unit of page) {
      units++;
      checkUnit(findings, unit, hash, text);
      checkVector(findings, unit, dimensions);
    }
    yield;
    const last = page.at(-1);
    if (!last) return units;
    after = last.unit_index;
  }
}

function checkUnit(findings: Findings, unit: UnitRow, hash: string | null, text: string | null): void {
  const id = unit.unit_id;
  if (hash !== null && unit.content_hash !== hash) findings.add("unit-of-other-content", id);
  if (unit.text === null) findings.add("unit-without-text", id);
  else if (text !== null && text.slice(unit.char_start, unit.char_end) !== unit.text)
    findings.add("text-differs", id);
  if (unit.number === null) findings.add("unit-without-number", id);
  else if (unit.words === 0) findings.add("unit-without-words", id);
}

function checkVector(findings: Findings, unit: UnitRow, dimensions: { bytes: number | null }): void {
  if (unit.vector_hash === null) return;
  if (unit.vector === null) return findings.add("unit-without-vector", unit.unit_id);
  dimensions.bytes ??= unit.vector.length;
  if (unit.vector.length !== dimensions.bytes)
    return findings.add("vector-of-other-length", unit.vector_hash);
  for (let at = 0; at + 4 <= unit.vector.length; at += 4) {
    if (!Number.isFinite(unit.vector.readFloatLE(at)))
      return findings.add("vector-damaged", unit.vector_hash);
  }
  return undefined;
}

function textOf(db: Database, hash: string): string | null {
  const row = db.statement("SELECT text FROM content WHERE content_hash = ?").get(hash) as
    | { text: string }
    | undefined;
  return row?.text ?? null;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

const PAGE = 64;
const UNITS = `
  SELECT search_unit.unit_id, search_unit.content_hash, unit_index, char_start, char_end, search_text.text,
    search_text.embedding_text_hash AS vector_hash, vector_blob AS vector, number,
    EXISTS (SELECT 1 FROM unit_words_docsize WHERE id = number) AS words
  FROM search_unit
  LEFT JOIN search_text ON target_id = search_unit.unit_id AND target_type = 'search_unit' AND kind = 'body'
  LEFT JOIN embedding ON embedding.embedding_text_hash = search_text.embedding_text_hash
  LEFT JOIN unit_number ON unit_number.unit_id = search_unit.unit_id
  WHERE material_id = ? AND unit_type = 'chunk' AND unit_index > ? ORDER BY unit_index LIMIT 32`;
