import type { WatchOutcome } from "./backend.ts";
import type { Follow, Visit } from "./follow.ts";
import { joinPath } from "./listing.ts";
import type { Directory } from "./tree.ts";

/** Watches begun at once: chokidar reads a directory before it watches it, on threads that would be idle otherwise. */
const AHEAD = 16;

/** Begins the watches of the directories that are compared next. */
export function watchAhead(follow: Follow, waiting: readonly Visit[]): void {
  for (const { directory } of waiting.slice(-AHEAD)) {
    if (directory.watch === "live" || directory.pending) continue;
    if (follow.exhausted || !follow.mayWatchMore()) return;
    directory.pending = begin(follow, directory);
  }
}

/** Answers why a directory can't be watched, when that is for a reason of its own. */
export async function ensureWatched(follow: Follow, directory: Directory): Promise<string | null> {
  if (directory.watch === "live") return null;
  if (!directory.pending) {
    if (!follow.exhausted && !follow.mayWatchMore()) follow.exhausted = { code: "ENOSPC", ours: true };
    if (follow.exhausted) {
      directory.watch = "refused";
      return null;
    }
  }
  const outcome = await (directory.pending ?? begin(follow, directory));
  directory.pending = null;
  directory.watch = outcome.kind === "live" ? "live" : "none";
  if (outcome.kind !== "exhausted") return outcome.kind === "failed" ? outcome.reason : null;
  directory.watch = "refused";
  follow.exhausted = { code: outcome.code, ours: false };
  return null;
}

function begin(follow: Follow, { path, files, children }: Directory): Promise<WatchOutcome> {
  const onHint = (hint: { name: string | null; renamed: boolean }): void => follow.onHint(path, hint);
  return follow.backend.watch(joinPath(follow.base, path), onHint, files.size + children.size);
}
