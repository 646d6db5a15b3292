import { WORDS_VERSION } from "../../../workers/words/shape.ts";
import type { Database } from "../sqlite.ts";

export interface MaterialRow {
  readonly material_id: string;
  readonly relative_path: string;
  /** Null once its removal has begun (K8.6). */
  readonly current_content_hash: string | null;
  /** Null in bases that knowd did not write. */
  readonly format: string | null;
  readonly words_version: number | null;
  /** A JSON array; null in bases of before, and where none were told. */
  readonly names: string | null;
  /** The hash over all segments of a text that has several (segments.ts); null for a text of one row. */
  readonly document_hash: string | null;
  /** 1: a revision that is being staged, or one on its way out (staging.ts). */
  readonly unseen: 0 | 1;
}

export function materialRow(db: Database, materialId: string): MaterialRow | undefined {
  return db.statement(`${SELECT} WHERE material.material_id = ?`).get(materialId) as MaterialRow | undefined;
}

/** The hash that the catalogue knows its text by; null for a tombstone. */
export function textHashOf(row: MaterialRow): string | null {
  return row.current_content_hash === null ? null : (row.document_hash ?? row.current_content_hash);
}

/** In the order of ids. */
export function materialsAfter(db: Database, afterId: string, limit: number): MaterialRow[] {
  return db
    .statement(`${SELECT} WHERE material.material_id > ? ORDER BY material.material_id LIMIT ?`)
    .all(afterId, limit) as MaterialRow[];
}

/** The first in the order of ids whose words were shaped by another version than this. */
export function materialOfOtherWords(
  db: Database,
  afterId: string,
  version: number,
): MaterialRow | undefined {
  return db
    .statement(
      `${SELECT} WHERE material.material_id > ? AND words_version IS NOT ? AND unseen_material.material_id IS NULL ORDER BY material.material_id LIMIT 1`,
    )
    .get(afterId, version) as MaterialRow | undefined;
}

/** Writes down what its words are shaped with from now on. */
export function putShape(db: Database, materialId: string, format: string, names: string | null): void {
  db.statement(PUT_SHAPE).run(materialId, format, WORDS_VERSION, names);
}

/** Names as they are stored. */
export function encodeNames(names: readonly string[] | undefined): string | null {
  return names && names.length > 0 ? JSON.stringify(names) : null;
}

/** Names as they were stored; none where the text in an index that others wrote is no list of them. */
export function decodeNames(names: string | null): string[] {
  if (names === null) return [];
  try {
    const list: unknown = JSON.parse(names);
    return Array.isArray(list) ? list.filter((name): name is string => typeof name === "string") : [];
  } catch {
    return [];
  }
}

/**
 * The catalogue says who has a path. Another material that still holds it here (two files that swapped names, say) makes
 * way: its own rename or rebuild is on its way.
 */
export function freePath(db: Database, relativePath: string, forMaterialId: string): void {
  db.statement(
    "UPDATE material SET relative_path = 'displaced/' || material_id WHERE relative_path = ? AND material_id <> ?",
  ).run(relativePath, forMaterialId);
}

const PUT_SHAPE = `
  INSERT INTO material_words (material_id, format, words_version, names) VALUES (?, ?, ?, ?)
  ON CONFLICT (material_id) DO UPDATE SET
    format = excluded.format, words_version = excluded.words_version, names = excluded.names`;
const SELECT = `
  SELECT material.material_id, relative_path, current_content_hash, format, words_version, names, document_hash,
    unseen_material.material_id IS NOT NULL AS unseen
  FROM material LEFT JOIN material_words USING (material_id) LEFT JOIN segmented_material USING (material_id)
    LEFT JOIN unseen_material USING (material_id)`;
