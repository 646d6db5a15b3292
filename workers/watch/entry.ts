import type { BigIntStats } from "node:fs";
import {
  excludeBelow,
  excludeFile,
  hold,
  holdsFiles,
  unwatchBelow,
  vanishBelow,
  vanishFile,
} from "./absence.ts";
import { type Follow, type Pass, notRead } from "./follow.ts";
import { noteHardLink } from "./hard-links.ts";
import type { RuleLevel } from "./ignore-rules.ts";
import { joinPath, lookAt } from "./listing.ts";
import { isVirtualMount, remoteMountKind } from "./mount-kind.ts";
import { holdsKnownFiles } from "./recognise.ts";
import { refusalOf } from "./refusal.ts";
import { directoryIdentity, keyOfStats, stampOfStats } from "./stamp.ts";
import type { Directory } from "./tree.ts";

export interface Met {
  readonly directory: Directory;
  /** It is new here, or another one than before: what is below it must be compared too. */
  readonly fresh: boolean;
}

/** Compares one entry of a directory with what is known of it; answers the directory that it is, if it is one to follow. */
export function compareEntry(
  follow: Follow,
  parent: Directory,
  level: RuleLevel,
  name: string,
  pass: Pass,
): Met | null {
  const path = joinPath(parent.path, name);
  const look = lookAt(joinPath(follow.base, path));
  if (look.kind === "unreadable") {
    notRead(pass, path);
    return null;
  }
  const stats = look.kind === "stats" ? look.stats : null;
  const isDirectory = stats?.isDirectory() ?? false;
  const child = parent.children.get(name);
  if (child && !isDirectory) vanishBelow(follow, child, pass);
  if (stats?.isFile()) {
    compareFile(follow, parent, level, name, stats, pass);
    return null;
  }
  vanishFile(follow, parent, name, pass.origin);
  if (stats && isDirectory) return meetDirectory(follow, parent, level, name, stats, pass);
  // A symlink is passed over in silence, whatever it points to.
  if (stats && !stats.isSymbolicLink()) pass.special++;
  return null;
}

function compareFile(
  follow: Follow,
  directory: Directory,
  level: RuleLevel,
  name: string,
  stats: BigIntStats,
  pass: Pass,
): void {
  const path = joinPath(directory.path, name);
  if (follow.rules.leavesOut(level, path, name, false)) {
    excludeFile(follow, directory, name);
    return;
  }
  follow.vanishing.clear(path);
  const key = keyOfStats(stats);
  if (directory.files.get(name) === key) return;
  follow.tree.setFile(directory, name, key);
  pass.changed++;
  // A complete pass looks at every name by itself.
  if (pass.origin === "event") noteHardLink(follow, stats);
  const stamp = stampOfStats(stats);
  const refused = refusalOf(joinPath(follow.base, path), stamp.size, follow.maxFileBytes);
  follow.batch.changed(pass.origin, { path, stamp, refused });
}

function meetDirectory(
  follow: Follow,
  parent: Directory,
  level: RuleLevel,
  name: string,
  stats: BigIntStats,
  pass: Pass,
): Met | null {
  const path = joinPath(parent.path, name);
  const known = parent.children.get(name);
  if (follow.rules.leavesOut(level, path, name, true)) {
    if (known) excludeBelow(follow, known);
    return null;
  }
  const identity = directoryIdentity(stats);
  if (isAbove(parent, identity)) {
    // A folder mounted below itself.
    notRead(pass, path);
    return null;
  }
  const device = String(stats.dev);
  if (!known && device !== parent.device && isVirtualMount(joinPath(follow.base, path))) return null;
  const directory = known ?? follow.tree.child(parent, name);
  if (directory.device !== null && directory.device !== device && holdsFiles(follow, directory)) {
    if (!holdsKnownFiles(follow.tree, follow.base, directory)) {
      hold(follow, directory, "mount", pass);
      return null;
    }
  }
  if (follow.held.get(path) === "mount") follow.held.delete(path);
  if (directory.identity === identity) return { directory, fresh: false };
  unwatchBelow(follow, directory);
  directory.identity = identity;
  directory.device = device;
  if (device !== parent.device) follow.remote ??= remoteMountKind(joinPath(follow.base, path));
  return { directory, fresh: true };
}

function isAbove(directory: Directory, identity: string): boolean {
  for (let at: Directory | null = directory; at; at = at.parent) if (at.identity === identity) return true;
  return false;
}
