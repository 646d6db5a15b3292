import type { Database } from "../sqlite.ts";

export interface MaterialRow {
  readonly material_id: string;
  readonly relative_path: string;
  /** Null once its removal has begun (K8.6). */
  readonly current_content_hash: string | null;
  /** Null in bases that knowd did not write. */
  readonly format: string | null;
  readonly words_version: number | null;
}

export function materialRow(db: Database, materialId: string): MaterialRow | undefined {
  return db.statement(`${SELECT} WHERE material.material_id = ?`).get(materialId) as MaterialRow | undefined;
}

/** In the order of ids. */
export function materialsAfter(db: Database, afterId: string, limit: number): MaterialRow[] {
  return db
    .statement(`${SELECT} WHERE material.material_id > ? ORDER BY material.material_id LIMIT ?`)
    .all(afterId, limit) as MaterialRow[];
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

const SELECT = `
  SELECT material.material_id, relative_path, current_content_hash, format, words_version
  FROM material LEFT JOIN material_words ON material_words.material_id = material.material_id`;
