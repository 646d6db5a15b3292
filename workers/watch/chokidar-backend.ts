import { type FSWatcher, watch } from "chokidar";
import { escapePath, toSystemPath } from "../path-bytes.ts";
import { type Backend, type Hint, outcomeOfError, type WatchOutcome } from "./backend.ts";
import { createDirectoryBackend } from "./directory-backend.ts";

/**
 * One chokidar watcher a directory, of which only the raw events are used: no entry in it is watched, and `ready` says
 * that the watch stands, which a shared watcher says for its first directory only. Chokidar takes strings alone, so a
 * folder whose name is not UTF-8 goes to fs.watch.
 */
export function createChokidarBackend(): Backend {
  const watchers = new Map<string, Watched>();
  const bytes = createDirectoryBackend();

  const unwatch = (path: string): void => {
    bytes.unwatch(path);
    const watched = watchers.get(path);
    watchers.delete(path);
    // A closed watcher never says that it is ready.
    watched?.abandon();
    void watched?.watcher.close();
  };

  return {
    async watch(path, onHint) {
      unwatch(path);
      const plain = toSystemPath(path);
      if (typeof plain !== "string") return await bytes.watch(path, onHint);
      const watcher = watch(plain, {
        ignored: (entry: string) => entry !== plain,
        depth: 0,
        persistent: true,
        ignoreInitial: true,
        followSymlinks: false,
        atomic: false,
      });
      const outcome = await new Promise<WatchOutcome>((resolve) => {
        watchers.set(path, { watcher, abandon: () => resolve({ kind: "absent" }) });
        listen(watcher, onHint, resolve);
      });
      if (outcome.kind !== "live" && watchers.get(path)?.watcher === watcher) unwatch(path);
      return outcome;
    },
    unwatch,
    count: () => watchers.size + bytes.count(),
    close() {
      for (const path of watchers.keys()) unwatch(path);
      bytes.close();
    },
  };
}

interface Watched {
  readonly watcher: FSWatcher;
  abandon(): void;
}

function listen(
  watcher: FSWatcher,
  onHint: (hint: Hint) => void,
  resolve: (outcome: WatchOutcome) => void,
): void {
  let failure: WatchOutcome | null = null;
  watcher.on("raw", (event: string, name: string | null) => {
    // A name that is not UTF-8 was mangled on its way here.
    const known = name !== null && name !== "" && !name.includes("\uFFFD");
    onHint({ name: known ? escapePath(Buffer.from(name)) : null, renamed: event === "rename" });
  });
  watcher.on("error", (error) => {
    failure ??= outcomeOfError(error);
    onHint({ name: null, renamed: true });
  });
  watcher.on("ready", () => resolve(failure ?? { kind: "live" }));
}
