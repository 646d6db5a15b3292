import { hold, vanishBelow, vanishFile } from "./absence.ts";
import { compareEntry } from "./entry.ts";
import { type Follow, type Pass, RootLost, type Visit } from "./follow.ts";
import { isIgnoreFile } from "./ignore-rules.ts";
import { joinPath, lookAt, namesIn } from "./listing.ts";
import { directoryIdentity } from "./stamp.ts";
import type { Directory } from "./tree.ts";
import { ensureWatched } from "./watching.ts";

/**
 * Compares a directory with what is known of it: all of it, or only `names`. It is watched before it is read, so nothing
 * falls between the two. Answers the directories below it that must be compared next.
 */
export async function compareDirectory(
  follow: Follow,
  { directory, deep }: Visit,
  names: ReadonlySet<string> | null,
  pass: Pass,
): Promise<Visit[]> {
  await follow.pause();
  if (!isStillItself(follow, directory)) return [];
  const wasDeaf = directory.watch !== "live";
  const failure = await ensureWatched(follow, directory);
  const rulesBefore = directory.rules;
  const level = follow.rules.levelOf(directory);
  const below = deep || (rulesBefore !== null && level !== rulesBefore);
  // What happened while it had no watch was not named.
  const whole = names === null || below || wasDeaf || [...names].some(isIgnoreFile);
  const listed = whole ? list(follow, directory, pass) : [...names];
  if (listed === null) return [];
  if (failure !== null) follow.unwatchable = failure;
  if (whole) await follow.backend.resize(joinPath(follow.base, directory.path), listed.length);
  const next: Visit[] = [];
  for (const name of listed) {
    const met = compareEntry(follow, directory, level, name, pass);
    // A directory that was named may have another mode now, so it is read though it looks the same.
    if (met && (met.fresh || below || names?.has(name)))
      next.push({ directory: met.directory, deep: met.fresh || below });
    await follow.pause();
  }
  if (whole) vanishUnlisted(follow, directory, listed, pass);
  return next;
}

/** False when another directory is at its path now: then the directory above it must be compared first. */
function isStillItself(follow: Follow, directory: Directory): boolean {
  if (follow.tree.find(directory.path) !== directory) return false;
  const look = lookAt(joinPath(follow.base, directory.path));
  const identity = look.kind === "stats" && look.stats.isDirectory() ? directoryIdentity(look.stats) : null;
  if (identity !== null && identity === directory.identity) return true;
  if (!directory.parent) throw new RootLost("The folder was replaced or removed.");
  follow.dirty.mark(directory.parent.path, directory.name);
  return false;
}

/** The names in a directory; null when it can't be read or has gone: then nothing is concluded from it. */
function list(follow: Follow, directory: Directory, pass: Pass): readonly string[] | null {
  const listing = namesIn(joinPath(follow.base, directory.path));
  if (listing.kind === "names") {
    follow.held.delete(directory.path);
    return listing.names;
  }
  if (!directory.parent) throw new RootLost("The folder can't be read.");
  if (listing.kind === "unreadable") hold(follow, directory, "unreadable", pass);
  else follow.dirty.mark(directory.parent.path, directory.name);
  return null;
}

function vanishUnlisted(follow: Follow, directory: Directory, listed: readonly string[], pass: Pass): void {
  const seen = new Set(listed);
  for (const name of directory.files.keys()) {
    if (!seen.has(name)) vanishFile(follow, directory, name, pass.origin);
  }
  for (const child of directory.children.values()) {
    if (!seen.has(child.name)) vanishBelow(follow, child, pass);
  }
}
