import { accessSync, type BigIntStats, constants, realpathSync, statSync } from "node:fs";
import { displayPath, escapePath, toSystemPath } from "../path-bytes.ts";
import { unwatchBelow } from "./absence.ts";
import type { RootIdentity } from "./contract.ts";
import type { Follow } from "./follow.ts";
import { isEmptyFolder, reasonOf } from "./listing.ts";
import { holdsKnownFiles } from "./recognise.ts";
import { directoryIdentity, rootIdentity } from "./stamp.ts";
import type { Tree } from "./tree.ts";

export type Health =
  /** `renewed`: its directories have no watches now, and must all be compared. */
  | { readonly kind: "well"; readonly identity: RootIdentity; readonly renewed: boolean }
  | { readonly kind: "ill"; readonly reason: string };

/** Judges one root: whether what its folder shows may be believed. */
export interface RootHealth {
  /** Reads the root again. When it is well, `follow.base` and the tree's root are up to date. */
  check(): Health;
}

export interface RootHealthDeps {
  readonly follow: Follow;
  /** As it was given: absolute and escaped, perhaps a symlink. */
  readonly path: string;
  readonly identity: RootIdentity | null;
  readonly emptyRootFiles: number;
  readonly emptyRootHoldMs: number;
}

export function createRootHealth(deps: RootHealthDeps): RootHealth {
  const { follow, path, identity, emptyRootFiles, emptyRootHoldMs } = deps;
  let expected = identity;
  /** directoryIdentity of the folder that was last taken for the root. */
  let adopted: string | null = null;
  let emptySince: number | null = null;
  const ill = (reason: string): Health => ({ kind: "ill", reason });

  /** Null when the folder may be called empty, else the reason why it may not. */
  const emptiness = (base: string): string | null => {
    const known = follow.tree.fileCount();
    // Few files may well have been deleted by a person, one by one or all.
    if (known < emptyRootFiles || !isEmptyFolder(base)) {
      emptySince = null;
      return null;
    }
    emptySince ??= performance.now();
    if (performance.now() - emptySince >= emptyRootHoldMs) return null;
    return `The folder is empty but ${known} files are known.`;
  };

  /** Whether the folder is the known one. */
  const isKnown = (stats: BigIntStats, base: string): boolean => {
    const seen = rootIdentity(stats);
    const same = expected === null || (expected.dev === seen.dev && expected.ino === seen.ino);
    // Inodes are used again at once: with another time of birth it was made anew. At the start only the numbers are known.
    if (same && adopted === null) return true;
    return adopted === directoryIdentity(stats) || holdsKnownFiles(follow.tree, base, follow.tree.root);
  };

  /** Takes the folder for the root. Answers true when it is another one than before, so that all must be watched anew. */
  const adopt = (stats: BigIntStats, base: string): boolean => {
    const { tree } = follow;
    const identity = directoryIdentity(stats);
    const seen = rootIdentity(stats);
    const renewed = tree.root.identity !== identity || follow.base !== base;
    if (renewed) unwatchBelow(follow, tree.root);
    if (expected?.dev !== seen.dev) renumber(tree, expected?.dev ?? null, seen.dev);
    follow.base = base;
    tree.root.identity = identity;
    tree.root.device = seen.dev;
    adopted = identity;
    expected = seen;
    return renewed;
  };

  return {
    check() {
      try {
        const stats = statSync(toSystemPath(path), { bigint: true, throwIfNoEntry: false });
        if (!stats) return ill("The folder is not there.");
        if (!stats.isDirectory()) return ill("There is no folder at this path, but something else.");
        accessSync(toSystemPath(path), constants.R_OK | constants.X_OK);
        const base = realPath(path);
        if (!isKnown(stats, base))
          return ill("Another folder is at this path: it does not hold the known files.");
        const reason = emptiness(base);
        if (reason !== null) return ill(reason);
        return { kind: "well", identity: rootIdentity(stats), renewed: adopt(stats, base) };
      } catch (error) {
        return ill(`The folder ${displayPath(path)} can't be read: ${reasonOf(error)}.`);
      }
    },
  };
}

/** What was on the root's device still is, under its new number; without an old one nothing is known of devices. */
function renumber(tree: Tree, from: string | null, to: string): void {
  for (const directory of tree.walk(tree.root)) {
    if (from === null) directory.device = null;
    else if (directory.device === from) directory.device = to;
  }
}

function realPath(path: string): string {
  // The other realpathSync takes text alone.
  return escapePath(realpathSync.native(toSystemPath(path), { encoding: "buffer" }));
}
