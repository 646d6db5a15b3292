import { createIdleMemory } from "./idle-memory.ts";
import type { IndexReader } from "./index-reader.ts";

/** A document that has a text, as the list of all names it. */
export interface ListedDocument {
  readonly id: string;
  readonly path: string;
  readonly hash: string;
  /** 1: its text is stored in segments. */
  readonly pieced: 0 | 1;
}

/**
 * The documents of an index in the order of their paths, some 400 bytes each: kept for a while after use and while nothing
 * is written.
 */
export interface DocumentList {
  all(): readonly ListedDocument[];
  forget(): void;
}

const ALL = `
  SELECT material_id AS id, relative_path AS path, current_content_hash AS hash,
    EXISTS (SELECT 1 FROM segmented_material AS d WHERE d.material_id = m.material_id) AS pieced
  FROM material AS m WHERE current_content_hash IS NOT NULL ORDER BY relative_path, material_id`;

export function createDocumentList(reader: IndexReader): DocumentList {
  let list: readonly ListedDocument[] | null = null;
  let version = -1;
  const idle = createIdleMemory(forget);

  function forget(): void {
    idle.stop();
    list = null;
  }

  return {
    all() {
      idle.used();
      // It changes with each commit of another connection, and this one does not write.
      const now = reader.statement("PRAGMA data_version").pluck().get() as number;
      if (list === null || now !== version) list = reader.statement(ALL).all() as ListedDocument[];
      version = now;
      return list;
    },
    forget,
  };
}
