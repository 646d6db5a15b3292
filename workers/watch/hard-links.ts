import type { BigIntStats } from "node:fs";
import type { Follow } from "./follow.ts";
import { fileIdOfKey, fileIdOfStats } from "./stamp.ts";

/** An event tells of the name that was used; the file's other names have changed as silently as completely. */
export function noteHardLink(follow: Follow, stats: BigIntStats): void {
  if (stats.nlink > 1n) follow.linked.add(fileIdOfStats(stats));
}

/**
 * Marks all names of the files that were noted, so that they are compared. One walk serves all that came together; names
 * that turn out to be the same are not noted again, so this ends.
 */
export async function markTwins(follow: Follow): Promise<void> {
  const linked = new Set(follow.linked);
  follow.linked.clear();
  for (const directory of follow.tree.walk(follow.tree.root)) {
    for (const [name, key] of directory.files) {
      if (linked.has(fileIdOfKey(key))) follow.dirty.mark(directory.path, name);
    }
    await follow.pause();
  }
}
