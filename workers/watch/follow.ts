import type { Backend } from "./backend.ts";
import type { Batch } from "./batch.ts";
import type { ChangeOrigin } from "./contract.ts";
import type { Dirty } from "./dirty.ts";
import type { Rules } from "./ignore-rules.ts";
import type { Directory, Tree } from "./tree.ts";
import type { Vanishing } from "./vanishing.ts";

/** Everything about one followed root that its comparison, scan and supervisor share. Only the root's own loop uses it. */
export interface Follow {
  readonly sourceId: string;
  readonly tree: Tree;
  readonly backend: Backend;
  readonly dirty: Dirty;
  readonly vanishing: Vanishing;
  readonly batch: Batch;
  /** Directories that can't be judged now, looked at again by the supervisor. */
  readonly held: Map<string, "mount" | "unreadable">;
  /** Files with several names of which an event told one (hard-links.ts). */
  readonly linked: Set<string>;
  /** The root's real path, absolute and escaped. */
  base: string;
  rules: Rules;
  maxFileBytes: number;
  /** Why some directories have no watch, until the next scan tries again. */
  exhausted: { readonly code: "ENOSPC" | "EMFILE"; readonly ours: boolean } | null;
  /** Why a folder that can be read can't be watched, until the next scan tries again. */
  unwatchable: string | null;
  /** Kind of remote mount that a part of the tree is on. */
  remote: string | null;
  /** Named pipes, sockets and devices that the last scan passed over. */
  special: number;
  /** False when knowd's own limit is reached. */
  readonly mayWatchMore: () => boolean;
  /** Something happened in this directory (a path below the root). */
  onHint(path: string, hint: { name: string | null; renamed: boolean }): void;
  /** Gives the event loop a turn when it is due, and main the messages that are whole. */
  pause(): Promise<void>;
  readonly warn: (text: string) => void;
}

/** One pass over directories, and what it found. */
export interface Pass {
  readonly origin: ChangeOrigin;
  changed: number;
  gone: number;
  special: number;
  complete: boolean;
  /** The first of the parts that could not be read. */
  readonly unreadable: Set<string>;
}

/** A directory that waits for its comparison; `deep`: those below it too, though they look the same. */
export interface Visit {
  readonly directory: Directory;
  readonly deep: boolean;
}

const MAX_UNREADABLE = 100;

export function createPass(origin: ChangeOrigin): Pass {
  return { origin, changed: 0, gone: 0, special: 0, complete: true, unreadable: new Set() };
}

/** Nothing is concluded about this part. */
export function notRead(pass: Pass, path: string): void {
  pass.complete = false;
  if (pass.unreadable.size < MAX_UNREADABLE) pass.unreadable.add(path);
}

/** The root can't be vouched for: ends whatever is under way. */
export class RootLost extends Error {
  override readonly name = "RootLost";
}
