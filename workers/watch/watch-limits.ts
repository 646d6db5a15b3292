import { readFileSync } from "node:fs";

export interface WatchNeed {
  readonly code: "ENOSPC" | "EMFILE";
  /** Directories that are to be watched, all roots together. */
  readonly directories: number;
  /** knowd's own limit, when that is what was reached. */
  readonly maxWatches: number | null;
}

/** Why folders are polled, and the exact command that ends it. */
export function exhaustedReason({ code, directories, maxWatches }: WatchNeed): string {
  if (code === "EMFILE") {
    const instances = inotifyLimit("max_user_instances");
    const command = `sudo sysctl fs.inotify.max_user_instances=${2 * (instances ?? 128)}`;
    return `The system gives no more inotify instances, so folders are scanned from time to time instead. To follow changes at once: ${command}`;
  }
  const limit = inotifyLimit("max_user_watches") ?? 8192;
  const command = `sudo sysctl fs.inotify.max_user_watches=${wantedWatches(directories, limit)}`;
  if (maxWatches !== null) {
    return `knowd may watch ${maxWatches} folders (setting watch.maxWatches) and has ${directories} to follow, so the others are scanned from time to time. Raise the setting, and where the system's own limit of ${limit} is too low: ${command}`;
  }
  return `The system allows ${limit} folder watches, too few for the ${directories} folders to follow beside those of other programs, so some are scanned from time to time. To follow changes at once: ${command}`;
}

/** Other programs have used up `limit` less what we got: room for all of ours on top of it, twice. */
export function wantedWatches(directories: number, limit: number): number {
  return 2 * Math.max(directories, limit);
}

/** Events that the kernel queues before it drops what follows; null where there is no such limit to read. */
export function queuedEventsLimit(): number | null {
  return inotifyLimit("max_queued_events");
}

/** A limit of the system's, such as max_user_watches; null where there is no inotify. */
export function inotifyLimit(name: string): number | null {
  try {
    const value = Number(readFileSync(`/proc/sys/fs/inotify/${name}`, "utf8"));
    return Number.isSafeInteger(value) && value > 0 ? value : null;
  } catch {
    // Not Linux, or /proc is not mounted: callers have a figure of their own.
    return null;
  }
}
