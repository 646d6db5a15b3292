import type { IndexTarget, StoredChunk, StoredUnit } from "./contract.ts";
import type { IndexReader } from "./index-reader.ts";
import { decodeUnitJson } from "./unit-json.ts";

interface UnitRow {
  unit_id: string;
  unit_index: number;
  material_id: string;
  relative_path: string;
  text: string;
  title: string;
  locator_json: string | null;
  char_start: number;
  char_end: number;
  content_hash: string;
}

/** Offsets are of the whole document, and so is the hash, also where the text is stored in several segments. */
const COLUMNS = `
  u.unit_id, u.unit_index, u.material_id, m.relative_path, t.text, u.title, u.locator_json,
  u.char_start + coalesce(s.char_start, 0) AS char_start, u.char_end + coalesce(s.char_start, 0) AS char_end,
  coalesce(d.document_hash, u.content_hash) AS content_hash`;
/** Units of a revision that is no longer the current one, or not yet, are left out. */
const JOINED = `
  JOIN material AS m ON m.material_id = u.material_id AND m.current_content_hash IS NOT NULL
  LEFT JOIN segmented_material AS d ON d.material_id = u.material_id
  LEFT JOIN content_segment AS s ON d.material_id IS NOT NULL AND s.material_id = u.material_id AND s.seq = (
    SELECT seq FROM content_segment WHERE material_id = u.material_id AND unit_start <= u.unit_index
    ORDER BY unit_start DESC, seq DESC LIMIT 1)
  JOIN search_text AS t ON t.target_id = u.unit_id AND t.target_type = 'search_unit' AND t.kind = 'body'`;
const CURRENT = "u.content_hash = coalesce(s.content_hash, m.current_content_hash)";
const BY_ID = `SELECT ${COLUMNS} FROM search_unit AS u ${JOINED} WHERE u.unit_id = ? AND ${CURRENT}`;
/** Where no document is stored in segments, at half the price. */
const BY_ID_UNSEGMENTED = `
  SELECT u.unit_id, u.unit_index, u.material_id, m.relative_path, t.text, u.title, u.locator_json,
    u.char_start, u.char_end, u.content_hash
  FROM search_unit AS u
  JOIN material AS m ON m.material_id = u.material_id AND m.current_content_hash = u.content_hash
  JOIN search_text AS t ON t.target_id = u.unit_id AND t.target_type = 'search_unit' AND t.kind = 'body'
  WHERE u.unit_id = ?`;
const OF_MATERIAL = `
  SELECT ${COLUMNS} FROM search_unit AS u ${JOINED}
  WHERE u.material_id = ? AND u.unit_type = 'chunk' AND u.unit_index > ? AND ${CURRENT}
  ORDER BY u.unit_index LIMIT ?`;
const NUMBER = "SELECT number FROM unit_number WHERE unit_id = ?";
const ID = "SELECT unit_id FROM unit_number WHERE number = ?";
const IDS =
  "SELECT number, unit_id FROM json_each(?) AS wanted CROSS JOIN unit_number ON number = wanted.value";
const MATERIAL =
  "SELECT u.material_id FROM unit_number AS n JOIN search_unit AS u ON u.unit_id = n.unit_id WHERE n.number = ?";
const NUMBERS_OF = `
  SELECT n.number FROM json_each(?) AS wanted
  JOIN search_unit AS u ON u.material_id = wanted.value
  JOIN unit_number AS n ON n.unit_id = u.unit_id`;
const COUNT = "SELECT units FROM stats WHERE id = 1";
const OCCURS = "SELECT 1 FROM unit_words WHERE unit_words MATCH ? LIMIT 1";
const NEWEST = "SELECT coalesce(max(number), 0) FROM unit_number";
const LONG = "SELECT 1 FROM segmented_material LIMIT 1";
const VISIBLE = "SELECT 1 FROM material WHERE material_id = ? AND current_content_hash IS NOT NULL";

/** Null for a unit that is gone, or of a revision that is. */
export function unitById(reader: IndexReader, id: string): StoredUnit | null {
  const sql = hasLongDocuments(reader) ? BY_ID : BY_ID_UNSEGMENTED;
  const row = reader.statement(sql).get(id) as UnitRow | undefined;
  return row
    ? {
        ...shown(row),
        materialId: row.material_id,
        relativePath: row.relative_path,
        contentHash: row.content_hash,
      }
    : null;
}

export function unitId(reader: IndexReader, number: number): string | undefined {
  return reader.statement(ID).pluck().get(number) as string | undefined;
}

/** By number, of those that there are: many in a third of the time that it takes one by one. */
export function unitIds(reader: IndexReader, numbers: Iterable<number>): Map<number, string> {
  return new Map(
    reader
      .statement(IDS)
      .raw()
      .all(JSON.stringify([...numbers])) as [number, string][],
  );
}

export function unitNumber(reader: IndexReader, id: string): number | undefined {
  return reader.statement(NUMBER).pluck().get(id) as number | undefined;
}

/** Units in the index, as its counters have it. */
export function unitCount(reader: IndexReader): number {
  return (reader.statement(COUNT).pluck().get() as number | undefined) ?? 0;
}

/** Whether any unit matches an FTS5 expression. */
export function occurs(reader: IndexReader, match: string): boolean {
  return reader.statement(OCCURS).get(match) !== undefined;
}

/** The highest number that a unit has; numbers are given in ascending order and never again. */
export function newestNumber(reader: Pick<IndexReader, "statement">): number {
  return reader.statement(NEWEST).pluck().get() as number;
}

/** Whether any document is stored in several segments. */
export function hasLongDocuments(reader: IndexReader): boolean {
  return reader.statement(LONG).get() !== undefined;
}

/** The material that a unit belongs to. */
export function materialOf(reader: IndexReader, number: number): string | undefined {
  return reader.statement(MATERIAL).pluck().get(number) as string | undefined;
}

/** The numbers of all units of these materials. */
export function numbersOf(reader: IndexReader, materialIds: readonly string[]): Set<number> {
  return new Set(reader.statement(NUMBERS_OF).pluck().all(JSON.stringify(materialIds)) as number[]);
}

/** A material's chunks in their order, after `afterIndex`; null when the index does not have the material. */
export function chunksOf(
  reader: IndexReader,
  query: Omit<IndexTarget, "baseId" | "indexPath"> & {
    materialId: string;
    afterIndex: number;
    limit: number;
  },
): StoredChunk[] | null {
  return reader.snapshot(() => {
    if (reader.statement(VISIBLE).get(query.materialId) === undefined) return null;
    const rows = reader
      .statement(OF_MATERIAL)
      .all(query.materialId, query.afterIndex, query.limit) as UnitRow[];
    return rows.map((row) => ({ ...shown(row), unitIndex: row.unit_index }));
  });
}

function shown(row: UnitRow) {
  const { headings, locator } = decodeUnitJson(row.locator_json);
  return {
    unitId: row.unit_id,
    text: row.text,
    title: row.title,
    headings,
    locator,
    charStart: row.char_start,
    charEnd: row.char_end,
  };
}
