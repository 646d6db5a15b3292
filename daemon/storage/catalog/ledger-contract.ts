import type { FileStamp } from "../../../workers/contract.ts";

export interface LedgerRow {
  readonly sourceId: string;
  /** Path below the root in escaped form (workers/path-bytes.ts), POSIX separators. */
  readonly path: string;
  readonly itemId: string;
  readonly stamp: FileStamp;
  /** sha256 of the bytes that are indexed; null until they are. */
  readonly byteHash: string | null;
  /** `<reader>@<version>` that read it. */
  readonly parser: string | null;
  readonly missingSince: number | null;
}

export interface LedgerStore {
  get(sourceId: string, path: string): LedgerRow | undefined;
  /** All rows of a source in path order, read in slices so that the loop is not held. */
  pageAfter(sourceId: string, afterPath: string, limit: number): LedgerRow[];
  byItem(itemId: string): LedgerRow | undefined;
  /** Rows with this inode and device, for renames and hard links. */
  byInode(sourceId: string, dev: string, ino: string): LedgerRow[];
  put(rows: readonly Omit<LedgerRow, "missingSince">[]): void;
  setRead(itemId: string, read: { stamp: FileStamp; byteHash: string; parser: string | null }): void;
  setMissing(sourceId: string, paths: readonly string[], since: number | null): void;
  /** Rows of a source whose files are missing since before that time, the longest missing first. */
  missingBefore(sourceId: string, time: number, limit: number): LedgerRow[];
  missingCount(sourceId: string): number;
  rename(sourceId: string, from: string, to: string, stamp: FileStamp): void;
  removeItems(itemIds: readonly string[]): void;
  count(sourceId: string): number;
}
