import type { Source } from "../../../rpc/contract/sources.ts";

/** A source as its row reads. */
export interface SourceRow extends Omit<
  Source,
  "include" | "exclude" | "useIgnoreFiles" | "hidden" | "copy"
> {
  readonly include: string;
  readonly exclude: string;
  readonly useIgnoreFiles: 0 | 1;
  readonly hidden: 0 | 1;
  readonly copy: 0 | 1;
}

export const SOURCE_COLUMNS = `id, base_id AS baseId, item_id AS itemId, path, state, state_reason AS stateReason,
  include, exclude, use_ignore_files AS useIgnoreFiles, hidden, max_file_bytes AS maxFileBytes, copy, files,
  last_scan_at AS lastScanAt, created_at AS createdAt, updated_at AS updatedAt`;

export const INSERT_SOURCE = `INSERT INTO source (id, base_id, item_id, path, state, state_reason, include, exclude,
  use_ignore_files, hidden, max_file_bytes, copy, last_scan_at, created_at, updated_at)
VALUES (:id, :baseId, :itemId, :path, :state, :stateReason, :include, :exclude, :useIgnoreFiles, :hidden,
  :maxFileBytes, :copy, :lastScanAt, :createdAt, :updatedAt)`;

/** The count of files is left to its triggers. */
export const UPDATE_SOURCE = `UPDATE source SET item_id = :itemId, path = :path, state = :state,
  state_reason = :stateReason, include = :include, exclude = :exclude, use_ignore_files = :useIgnoreFiles,
  hidden = :hidden, max_file_bytes = :maxFileBytes, copy = :copy, last_scan_at = :lastScanAt, updated_at = :updatedAt
WHERE id = :id`;

export function toSource(row: SourceRow): Source {
  return {
    ...row,
    include: JSON.parse(row.include) as string[],
    exclude: JSON.parse(row.exclude) as string[],
    useIgnoreFiles: row.useIgnoreFiles === 1,
    hidden: row.hidden === 1,
    copy: row.copy === 1,
  };
}

export function toSourceRow(source: Source): SourceRow {
  return {
    ...source,
    include: JSON.stringify(source.include),
    exclude: JSON.stringify(source.exclude),
    useIgnoreFiles: source.useIgnoreFiles ? 1 : 0,
    hidden: source.hidden ? 1 : 0,
    copy: source.copy ? 1 : 0,
  };
}
