import { type FSWatcher, watch } from "chokidar";
import { escapePath, toSystemPath } from "../path-bytes.ts";
import { type Backend, type Hint, outcomeOfError, type WatchOutcome } from "./backend.ts";
import { createDirectoryBackend } from "./directory-backend.ts";

/** Chokidar is never ready where reading an entry fails (a path that is too long), and late where there are very many. */
const READY_MS = 5_000;

/** Chokidar reads a whole directory (with an lstat of each entry) after an event in it; beyond this that is a waste. */
const MAX_ENTRIES = 1_000;

/**
 * One chokidar watcher a directory, of which only the raw events are used: no entry in it is watched, and `ready` says
 * that the watch stands, which a shared watcher says for its first directory only. What chokidar can't do goes to fs.watch:
 * folders whose path is not UTF-8, since it takes strings alone, or has a backslash, which it takes for a slash; large ones;
 * and those for which it is not ready.
 */
export function createChokidarBackend(): Backend {
  const watchers = new Map<string, Watched>();
  const direct = createDirectoryBackend();
  let closed = false;

  const close = (path: string): void => {
    const watched = watchers.get(path);
    watchers.delete(path);
    // A closed watcher never says that it is ready.
    watched?.abandon();
    void watched?.watcher.close();
  };

  const unwatch = (path: string): void => {
    direct.unwatch(path);
    close(path);
  };

  return {
    async watch(path, onHint, entries) {
      unwatch(path);
      if (closed) return { kind: "absent" };
      const plain = toSystemPath(path);
      if (typeof plain !== "string" || plain.includes("\\") || entries > MAX_ENTRIES)
        return await direct.watch(path, onHint, entries);
      const watcher = watch(plain, {
        ignored: (entry: string) => entry !== plain,
        depth: 0,
        persistent: true,
        ignoreInitial: true,
        followSymlinks: false,
        atomic: false,
      });
      const outcome = await new Promise<WatchOutcome>((resolve) => {
        watchers.set(path, { watcher, onHint, abandon: () => resolve({ kind: "absent" }) });
        listen(watcher, onHint, resolve);
      });
      if (outcome.kind === "live" || watchers.get(path)?.watcher !== watcher) return outcome;
      close(path);
      return outcome.kind === "failed" ? await direct.watch(path, onHint, entries) : outcome;
    },
    async resize(path, entries) {
      const watched = watchers.get(path);
      if (!watched || entries <= MAX_ENTRIES) return;
      // The new watch stands before the old one goes.
      const { kind } = await direct.watch(path, watched.onHint, entries);
      if (kind === "live") close(path);
    },
    unwatch,
    count: () => watchers.size + direct.count(),
    close() {
      closed = true;
      for (const path of watchers.keys()) close(path);
      direct.close();
    },
  };
}

interface Watched {
  readonly watcher: FSWatcher;
  readonly onHint: (hint: Hint) => void;
  abandon(): void;
}

function listen(
  watcher: FSWatcher,
  onHint: (hint: Hint) => void,
  resolve: (outcome: WatchOutcome) => void,
): void {
  const late = setTimeout(() => resolve({ kind: "failed", reason: "it was not ready in time" }), READY_MS);
  late.unref();
  const settle = (outcome: WatchOutcome): void => {
    clearTimeout(late);
    resolve(outcome);
  };
  watcher.on("raw", (event: string, name: string | null) => {
    // A name that is not UTF-8 was mangled on its way here.
    const known = name !== null && name !== "" && !name.includes("\uFFFD");
    onHint({ name: known ? escapePath(Buffer.from(name)) : null, renamed: event === "rename" });
  });
  watcher.on("error", (error) => {
    settle(outcomeOfError(error));
    onHint({ name: null, renamed: true });
  });
  watcher.on("ready", () => settle({ kind: "live" }));
}
