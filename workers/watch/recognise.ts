import { joinPath, lookAt } from "./listing.ts";
import { sizeOfKey, UNKNOWN_STAMP } from "./stamp.ts";
import type { Directory, Tree } from "./tree.ts";

/** Files that are looked for before a folder with another identity is taken for the known one. */
const SAMPLE = 64;

/**
 * Whether at least half of a sample of the known files is here, with the same sizes. Device numbers change at boot on some
 * file systems, and a restored folder has other inodes: neither may make a user's index stale for ever, and an empty or
 * foreign disk in the same place must not pass. True where nothing is known, since then nothing can be lost.
 */
export function holdsKnownFiles(tree: Tree, base: string, directory: Directory): boolean {
  const sample = sampleOf(tree, directory);
  const found = sample.filter(({ path, size }) => {
    const look = lookAt(joinPath(base, path));
    if (look.kind !== "stats" || !look.stats.isFile()) return false;
    return size === null || Number(look.stats.size) === size;
  });
  return found.length * 2 >= sample.length;
}

/**
 * Spread over all that is known, so that one surviving folder does not speak for the rest. Of forgotten files no size is
 * known: null.
 */
function sampleOf(tree: Tree, directory: Directory): { path: string; size: number | null }[] {
  let files = 0;
  for (const at of tree.walk(directory)) files += at.files.size;
  const step = Math.max(1, Math.floor(files / SAMPLE));
  const sample: { path: string; size: number | null }[] = [];
  let position = 0;
  for (const at of tree.walk(directory)) {
    for (const [name, key] of at.files) {
      if (position++ % step !== 0) continue;
      sample.push({ path: joinPath(at.path, name), size: key === UNKNOWN_STAMP ? null : sizeOfKey(key) });
    }
  }
  return sample;
}
