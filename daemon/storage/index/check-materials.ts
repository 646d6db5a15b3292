import { sha256 } from "../../../workers/ids.ts";
import type { Database } from "../sqlite.ts";
import type { Findings } from "./findings.ts";
import { materialsAfter, type MaterialRow } from "./materials.ts";
import { documentHash, segmentsOf, type SegmentRow } from "./segments.ts";

interface UnitRow {
  readonly unit_id: string;
  readonly unit_index: number;
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
      seen.units += yield* checkMaterial({ db, findings, dimensions }, material);
    }
    const last = page.at(-1);
    if (!last) return seen;
    after = last.material_id;
  }
}

interface Checking {
  readonly db: Database;
  readonly findings: Findings;
  /** Bytes of a vector; null until the first is seen. */
  readonly dimensions: { bytes: number | null };
}

function* checkMaterial(checking: Checking, material: MaterialRow): Generator<undefined, number> {
  const { db } = checking;
  const hash = material.current_content_hash;
  const segments = hash === null ? [] : segmentsOf(db, material.material_id);
  if (segments.length === 0) {
    if (material.document_hash !== null && hash !== null)
      checking.findings.add("document-without-segments", material.relative_path);
    return yield* checkText(checking, material, hash, { after: -1, before: Number.MAX_SAFE_INTEGER });
  }
  checkDocument(checking, material, segments);
  let units = 0;
  for (const [at, segment] of segments.entries()) {
    const before = segments[at + 1]?.unit_start ?? Number.MAX_SAFE_INTEGER;
    const range = { after: segment.unit_start - 1, before };
    units += yield* checkText(checking, material, segment.content_hash, range);
  }
  return units;
}

function checkDocument({ findings }: Checking, material: MaterialRow, segments: readonly SegmentRow[]): void {
  const whole = documentHash(segments.map((segment) => segment.content_hash));
  const [first] = segments;
  if (whole !== material.document_hash || first?.content_hash !== material.current_content_hash)
    findings.add("document-of-other-segments", material.relative_path);
  const gaps = segments.filter(
    ({ seq, char_start }, at) =>
      seq !== at ||
      char_start !== (segments[at - 1] ? segments[at - 1]!.char_start + segments[at - 1]!.chars : 0),
  );
  if (gaps.length > 0) findings.add("segment-out-of-place", material.relative_path, gaps.length);
}

/** One text and the units in it, those whose indexes lie between the two. */
function* checkText(
  { db, findings, dimensions }: Checking,
  material: MaterialRow,
  hash: string | null,
  range: { after: number; before: number },
): Generator<undefined, number> {
  const text = hash === null ? null : textOf(db, hash);
  if (text !== null && sha256(text) !== hash) findings.add("content-damaged", material.relative_path);
  if (hash !== null && text === null) findings.add("material-without-content", material.relative_path);
  yield;
  let units = 0;
  for (let { after } = range; ;) {
    const page = db.statement(UNITS).all(material.material_id, after, range.before) as UnitRow[];
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

const PAGE = 64;
const UNITS = `
  SELECT search_unit.unit_id, search_unit.content_hash, unit_index, char_start, char_end, search_text.text,
    search_text.embedding_text_hash AS vector_hash, vector_blob AS vector, number,
    EXISTS (SELECT 1 FROM unit_words_docsize WHERE id = number) AS words
  FROM search_unit
  LEFT JOIN search_text ON target_id = search_unit.unit_id AND target_type = 'search_unit' AND kind = 'body'
  LEFT JOIN embedding ON embedding.embedding_text_hash = search_text.embedding_text_hash
  LEFT JOIN unit_number ON unit_number.unit_id = search_unit.unit_id
  WHERE material_id = ? AND unit_type = 'chunk' AND unit_index > ? AND unit_index < ?
  ORDER BY unit_index LIMIT 32`;
