import type { IndexReader } from "./index-reader.ts";

/** A document that has a text, as the list of all names it. */
export interface ListedDocument {
  readonly id: string;
  readonly path: string;
  readonly hash: string;
  /** 1: its text is stored in segments. */
  readonly pieced: 0 | 1;
}

/** The documents of an index in the order of their paths, kept for a while after use and while nothing is written. */
export interface DocumentList {
  all(): readonly ListedDocument[];
  forget(): void;
}

/** Without use for this long, the memory goes back: some 400 bytes a document. */
const IDLE_MS = 30_000;
const ALL = `
  SELECT material_id AS id, relative_path AS path, current_content_hash AS hash,
    EXISTS (SELECT 1 FROM segmented_material AS d WHERE d.material_id = m.material_id) AS pieced
  FROM material AS m WHERE current_content_hash IS NOT NULL ORDER BY relative_path, material_id`;

export function createDocumentList(reader: IndexReader): DocumentList {
  let list: readonly ListedDocument[] | null = null;
  let version = -1;
  let idle: NodeJS.Timeout | undefined;

  function forget(): void {
    clearTimeout(idle);
    idle = undefined;
    list = null;
  }

  return {
    all() {
      if (idle) idle.refresh();
      else idle = setTimeout(forget, IDLE_MS).unref();
      // It changes with each commit of another connection, and this one does not write.
      const now = reader.statement("PRAGMA data_version").pluck().get() as number;
      if (list === null || now !== version) list = reader.statement(ALL).all() as ListedDocument[];
      version = now;
      return list;
    },
    forget,
  };
}
