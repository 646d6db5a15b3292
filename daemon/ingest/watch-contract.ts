import type {
  ChangeOrigin,
  FileChange,
  KnownFile,
  WatchMessage,
  WatchRoot,
  WatchRules,
  WatchStats,
} from "../../workers/watch/contract.ts";

// What the watcher's thread and this process say to each other is written once, on the thread's side.
export type { ChangeOrigin, FileChange, KnownFile, WatchMessage, WatchRoot, WatchRules, WatchStats };

/**
 * Follows folders from a thread of its own. It compares directories (readdir + lstat) with what it knows; events are only
 * hints where to look. Messages of one source come in order.
 */
export interface Watcher {
  /** Starts following; `known` is what the ledger has, given in slices. The first complete scan starts at once. */
  add(root: WatchRoot, known: AsyncIterable<readonly KnownFile[]>): Promise<void>;
  update(sourceId: string, rules: WatchRules): Promise<void>;
  /** No message of this source is delivered after it resolves. */
  remove(sourceId: string): Promise<void>;
  /** A complete scan; resolves when its `changed`, `gone` and `scanned` messages have been delivered. Rejects with SOURCE_UNAVAILABLE. */
  scan(sourceId: string): Promise<{ files: number; changed: number; gone: number; complete: boolean }>;
  /** What main knows better than the watcher: these paths must be looked at again, as if they had just changed. */
  forget(sourceId: string, paths: readonly string[]): void;
  stats(): Promise<WatchStats>;
  close(): Promise<void>;
}
