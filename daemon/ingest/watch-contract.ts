import type { FileStamp } from "../../workers/contract.ts";

export interface WatchRules {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly useIgnoreFiles: boolean;
  readonly hidden: boolean;
  readonly maxFileBytes: number;
}

/** A file as the ledger knows it; paths are below the root, POSIX separators, escaped form (workers/path-bytes.ts). */
export interface KnownFile {
  readonly path: string;
  readonly stamp: FileStamp;
}

/** scan: found by a complete comparison. event: found because something just happened there. */
export type ChangeOrigin = "scan" | "event";

export interface FileChange {
  readonly path: string;
  readonly stamp: FileStamp;
  /** Null for what should be indexed; else why it is listed but not read (too large, not a regular file, no permission). */
  readonly refused: string | null;
}

export type WatchMessage =
  /** Files that are new or differ from what was known. */
  | {
      readonly type: "changed";
      readonly sourceId: string;
      readonly origin: ChangeOrigin;
      readonly files: readonly FileChange[];
    }
  /** lstat said ENOENT for each of these while the root was healthy. */
  | {
      readonly type: "gone";
      readonly sourceId: string;
      readonly origin: ChangeOrigin;
      readonly paths: readonly string[];
    }
  /** Files that rules leave out from now on, though they exist. */
  | { readonly type: "excluded"; readonly sourceId: string; readonly paths: readonly string[] }
  | {
      readonly type: "scanned";
      readonly sourceId: string;
      /** Echoes the number of the request, or null for scans of the watcher's own. */
      readonly request: number | null;
      readonly files: number;
      readonly changed: number;
      readonly gone: number;
      readonly tookMs: number;
      /** False when part of the tree could not be read: nothing was concluded there. */
      readonly complete: boolean;
      readonly unreadable: readonly string[];
    }
  | {
      readonly type: "state";
      readonly sourceId: string;
      readonly state: "scanning" | "watching" | "polling" | "unavailable";
      readonly reason: string | null;
      /** Device and inode of the root, when it is well. */
      readonly root: { readonly dev: string; readonly ino: string } | null;
    };

export interface WatchRoot {
  readonly sourceId: string;
  /** Absolute path in escaped form. */
  readonly path: string;
  readonly rules: WatchRules;
  /** Identity when it was last seen well; another one at the path is `unavailable` until a person says otherwise. */
  readonly identity: { readonly dev: string; readonly ino: string } | null;
}

/**
 * Follows folders from a thread of its own. It compares directories (readdir + lstat) with what it knows; events are only
 * hints where to look. Messages of one source come in order.
 */
export interface Watcher {
  /** Starts following; `known` is what the ledger has, given in slices. The first complete scan starts at once. */
  add(root: WatchRoot, known: AsyncIterable<readonly KnownFile[]>): Promise<void>;
  update(sourceId: string, rules: WatchRules): Promise<void>;
  remove(sourceId: string): Promise<void>;
  /** A complete scan; resolves when its `changed`, `gone` and `scanned` messages have been delivered. Rejects with SOURCE_UNAVAILABLE. */
  scan(sourceId: string): Promise<{ files: number; changed: number; gone: number; complete: boolean }>;
  /** What main knows better than the watcher: these paths must be looked at again, as if they had just changed. */
  forget(sourceId: string, paths: readonly string[]): void;
  /** Directories watched, and watches refused by the system. */
  stats(): Promise<{ watches: number; refused: number; files: number }>;
  close(): Promise<void>;
}
