import type { ChangeOrigin } from "./contract.ts";
import { type Follow, type Pass, notRead } from "./follow.ts";
import { joinPath, lookAt } from "./listing.ts";
import { directoryIdentity } from "./stamp.ts";
import { type Directory, splitPath } from "./tree.ts";

/** The supervisor looks at more of them by the next complete scan only. */
const MAX_HELD = 1_000;

/** A known file was not found: it is looked for again before anything is concluded. */
export function vanishFile(follow: Follow, directory: Directory, name: string, origin: ChangeOrigin): void {
  if (directory.files.has(name)) follow.vanishing.note(joinPath(directory.path, name), origin);
}

/** A directory is not there any more, or is none. A mount that went is not a folder that was deleted: it is held. */
export function vanishBelow(follow: Follow, directory: Directory, pass: Pass): void {
  if (isMountPoint(directory) && holdsFiles(follow, directory)) {
    hold(follow, directory, "mount", pass);
    return;
  }
  unwatchBelow(follow, directory);
  const below = [...follow.tree.walk(directory)];
  for (const at of below) {
    for (const name of at.files.keys()) vanishFile(follow, at, name, pass.origin);
  }
  for (const at of below.reverse()) prune(follow, at);
}

/** The rules leave a directory out: what was known of it is excluded, and it keeps no watch. */
export function excludeBelow(follow: Follow, directory: Directory): void {
  unwatchBelow(follow, directory);
  for (const at of follow.tree.walk(directory)) {
    follow.held.delete(at.path);
    for (const name of at.files.keys()) excludeFile(follow, at, name);
  }
  follow.tree.detach(directory);
}

export function excludeFile(follow: Follow, directory: Directory, name: string): void {
  if (!follow.tree.dropFile(directory, name)) return;
  const path = joinPath(directory.path, name);
  follow.vanishing.clear(path);
  follow.batch.excluded(path);
}

/** Nothing below is concluded, nor is its watch trusted, until the supervisor finds it well. */
export function hold(follow: Follow, directory: Directory, kind: "mount" | "unreadable", pass: Pass): void {
  notRead(pass, directory.path);
  if (kind === "mount") unwatchBelow(follow, directory);
  if (follow.held.has(directory.path) || follow.held.size >= MAX_HELD) return;
  follow.held.set(directory.path, kind);
  const why = kind === "mount" ? "its disk is not mounted" : "it can't be read";
  follow.warn(`${joinPath(follow.base, directory.path)}: ${why}; what was indexed below it stays`);
}

/** The directory and all below are watched anew when they are met again. */
export function unwatchBelow(follow: Follow, directory: Directory): void {
  for (const at of follow.tree.walk(directory)) {
    follow.backend.unwatch(joinPath(follow.base, at.path));
    at.watch = "none";
    at.pending = null;
    at.identity = null;
  }
}

export function holdsFiles(follow: Follow, directory: Directory): boolean {
  for (const at of follow.tree.walk(directory)) if (at.files.size > 0) return true;
  return false;
}

/** Takes out directories that are not on disk and hold nothing, from here up. */
export function prune(follow: Follow, directory: Directory): void {
  for (let at: Directory | null = directory; at?.parent; at = at.parent) {
    if (at.identity !== null || at.files.size > 0 || at.children.size > 0) return;
    follow.held.delete(at.path);
    follow.tree.detach(at);
  }
}

/**
 * The second look at files that were not found. Answers those that are gone: they are taken out of the tree once `vouch`
 * has found the root well, so that a disk that leaves in between takes nothing with it.
 */
export function confirmGone(
  follow: Follow,
  candidates: readonly { readonly path: string; readonly origin: ChangeOrigin }[],
  vouch: () => void,
): number {
  const trusted = new Map<Directory, boolean>();
  const gone = candidates.filter(({ path }) => isGone(follow, path, trusted));
  if (gone.length === 0) return 0;
  vouch();
  for (const { path, origin } of gone) {
    const { folder, name } = splitPath(path);
    const directory = follow.tree.find(folder);
    if (!directory || !follow.tree.dropFile(directory, name)) continue;
    follow.batch.gone(origin, path);
    prune(follow, directory);
  }
  return gone.length;
}

function isGone(follow: Follow, path: string, trusted: Map<Directory, boolean>): boolean {
  const { folder, name } = splitPath(path);
  const directory = follow.tree.find(folder);
  if (!directory) return false;
  const look = lookAt(joinPath(follow.base, path));
  if (look.kind === "unreadable") return false;
  if (look.kind === "stats" && look.stats.isFile()) {
    follow.dirty.mark(folder, name);
    return false;
  }
  return isAsCompared(follow, directory, trusted);
}

/** Whether the nearest directory that should be there still is the one that was compared. */
function isAsCompared(follow: Follow, directory: Directory, trusted: Map<Directory, boolean>): boolean {
  let at = directory;
  while (at.identity === null && at.parent) at = at.parent;
  const known = trusted.get(at);
  if (known !== undefined) return known;
  const look = lookAt(joinPath(follow.base, at.path));
  const same = look.kind === "stats" && directoryIdentity(look.stats) === at.identity;
  if (!same && at.parent) follow.dirty.mark(at.parent.path, at.name);
  trusted.set(at, same);
  return same;
}

/** It was on another device than the folder it is in. */
function isMountPoint(directory: Directory): boolean {
  const above = directory.parent?.device ?? null;
  return directory.device !== null && above !== null && directory.device !== above;
}
