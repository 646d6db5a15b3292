import type { FileStamp } from "../contract.ts";

/** Patterns have gitignore syntax and are relative to the root. */
export interface WatchRules {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly useIgnoreFiles: boolean;
  readonly hidden: boolean;
  readonly maxFileBytes: number;
}

/** A file as the ledger knows it; paths are below the root, POSIX separators, escaped form (path-bytes.ts). */
export interface KnownFile {
  readonly path: string;
  readonly stamp: FileStamp;
}

/** scan: found by a complete comparison. event: found because something just happened there. */
export type ChangeOrigin = "scan" | "event";

export interface FileChange {
  readonly path: string;
  readonly stamp: FileStamp;
  /** Null for what should be indexed; else why it is listed but not read (too large, no permission). */
  readonly refused: string | null;
}

export interface RootIdentity {
  readonly dev: string;
  readonly ino: string;
}

/**
 * scanning: the first complete scan, or the first one after the root was away; later ones leave the state as it is.
 * watching: changes are followed as they happen. polling: some or all are found by scans alone.
 */
export type FollowState = "scanning" | "watching" | "polling" | "unavailable";

export type WatchMessage =
  /** Files that are new or differ from what was known. A file that changes again is told again. */
  | {
      readonly type: "changed";
      readonly sourceId: string;
      readonly origin: ChangeOrigin;
      readonly files: readonly FileChange[];
    }
  /** For each of these lstat said ENOENT, or that it is no regular file any more, while the root was healthy. */
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
      /** Paths of those parts (the first 100). */
      readonly unreadable: readonly string[];
    }
  | {
      readonly type: "state";
      readonly sourceId: string;
      readonly state: FollowState;
      readonly reason: string | null;
      /** Device and inode of the root, when it is well. */
      readonly root: RootIdentity | null;
    };

export interface WatchRoot {
  readonly sourceId: string;
  /** Absolute path in escaped form. */
  readonly path: string;
  readonly rules: WatchRules;
  /**
   * Identity when it was last seen well. Another folder at the path is `unavailable` until a person says otherwise, unless
   * it holds the known files (a restored copy, or a disk whose device number changed at boot): then it is recognised.
   */
  readonly identity: RootIdentity | null;
}

export type WatchBackendKind = "chokidar" | "directory";

export interface WatchSettings {
  readonly backend: WatchBackendKind;
  /** From the first event in a directory to its comparison: what happens in between is one change. */
  readonly compareDelayMs: number;
  /** A file that an event found missing is looked for again after this, before it is called gone. */
  readonly goneConfirmMs: number;
  /** Time between looks at each root and at folders that could not be read. */
  readonly rootCheckMs: number;
  readonly reconcileMs: number;
  readonly pollMs: number;
  /** A root that is empty although at least this many files are known is not believed for emptyRootHoldMs. */
  readonly emptyRootFiles: number;
  readonly emptyRootHoldMs: number;
  /** Directories to watch, all roots together; null leaves it to the system. */
  readonly maxWatches: number | null;
  /** More events than this in burstWindowMs: the system's queue may have overflowed, so all is scanned. */
  readonly burstEvents: number;
  readonly burstWindowMs: number;
  /** More dirty directories than this at once are scanned as a whole. */
  readonly maxDirtyDirectories: number;
}

export const defaultWatchSettings: WatchSettings = {
  backend: "chokidar",
  compareDelayMs: 30,
  goneConfirmMs: 100,
  rootCheckMs: 2_000,
  reconcileMs: 600_000,
  pollMs: 30_000,
  emptyRootFiles: 20,
  emptyRootHoldMs: 600_000,
  maxWatches: null,
  burstEvents: 8_000,
  burstWindowMs: 2_000,
  maxDirtyDirectories: 128,
};

export interface WatchStats {
  /** Directories watched, and directories for which the system (or maxWatches) refused a watch. */
  readonly watches: number;
  readonly refused: number;
  readonly files: number;
  /** Named pipes, sockets and devices that were passed over. */
  readonly special: number;
}

/** What the thread is started with. */
export interface WatchThreadData {
  readonly settings: WatchSettings;
}

export type WatchCommand =
  | { readonly type: "add"; readonly root: WatchRoot }
  /** Only between `add` and `start`. */
  | { readonly type: "known"; readonly sourceId: string; readonly files: readonly KnownFile[] }
  | { readonly type: "start"; readonly sourceId: string }
  | { readonly type: "update"; readonly sourceId: string; readonly rules: WatchRules }
  | { readonly type: "remove"; readonly sourceId: string }
  /** Answered at once; the scan's end is a `scanned` message with this request, or a `refused` one. */
  | { readonly type: "scan"; readonly sourceId: string; readonly request: number }
  | { readonly type: "forget"; readonly sourceId: string; readonly paths: readonly string[] }
  | { readonly type: "stats" }
  | { readonly type: "close" };

/** Main → thread. Every command is answered; every message is acknowledged when main is done with it. */
export type ToWatchThread =
  | { readonly type: "command"; readonly id: number; readonly command: WatchCommand }
  | { readonly type: "ack" };

/** Thread → main. */
export type FromWatchThread =
  | { readonly type: "message"; readonly message: WatchMessage }
  | {
      readonly type: "answer";
      readonly id: number;
      readonly stats: WatchStats | null;
      readonly error: string | null;
    }
  /** A scan that was asked for can't be done: the root is unavailable. */
  | { readonly type: "refused"; readonly request: number; readonly reason: string }
  | { readonly type: "log"; readonly level: "info" | "warn" | "error"; readonly text: string };
