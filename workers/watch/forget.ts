import type { Follow } from "./follow.ts";
import { sizeOfKey, UNKNOWN_STAMP } from "./stamp.ts";
import { splitPath } from "./tree.ts";

/** These files count as known in a state that no file has, so the next look finds each changed, gone or excluded. */
export function forgetFiles(follow: Follow, paths: readonly string[]): void {
  for (const path of paths) {
    const { folder, name } = splitPath(path);
    if (name === "") continue;
    follow.tree.setFile(follow.tree.ensure(folder), name, UNKNOWN_STAMP);
    markUpwards(follow, folder, name);
  }
}

/** Files that another size limit accepts or refuses from now on are to be found changed. */
export function reconsiderSizes(follow: Follow, maxFileBytes: number): void {
  const from = Math.min(follow.maxFileBytes, maxFileBytes);
  const to = Math.max(follow.maxFileBytes, maxFileBytes);
  follow.maxFileBytes = maxFileBytes;
  if (from === to) return;
  for (const directory of follow.tree.walk(follow.tree.root)) {
    for (const [name, key] of directory.files) {
      const size = sizeOfKey(key);
      if (size > from && size <= to) directory.files.set(name, UNKNOWN_STAMP);
    }
  }
}

/** A directory that was never met is compared from the nearest one above it that was. */
function markUpwards(follow: Follow, folder: string, name: string): void {
  let at = { folder, name };
  for (;;) {
    const directory = follow.tree.find(at.folder);
    if (at.folder === "" || (directory && directory.identity !== null)) break;
    at = splitPath(at.folder);
  }
  follow.dirty.mark(at.folder, at.name);
}
