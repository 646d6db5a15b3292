import { type FSWatcher, watch } from "node:fs";
import { escapePath, toSystemPath } from "../path-bytes.ts";
import { type Backend, outcomeOfError } from "./backend.ts";

/** One fs.watch a directory: the names come as bytes, and nothing is read behind our back. */
export function createDirectoryBackend(): Backend {
  const watchers = new Map<string, FSWatcher>();
  let closed = false;

  const unwatch = (path: string): void => {
    watchers.get(path)?.close();
    watchers.delete(path);
  };

  return {
    async watch(path, onHint) {
      unwatch(path);
      if (closed) return { kind: "absent" };
      try {
        const watcher = watch(toSystemPath(path), { persistent: false, encoding: "buffer" });
        watchers.set(path, watcher);
        watcher.on("change", (event: string, name: Buffer | string | null) => {
          onHint({ name: name === null ? null : escapePath(Buffer.from(name)), renamed: event === "rename" });
        });
        watcher.on("error", () => {
          // Where the folder went is for the comparison to find out: this watch is deaf from now on.
          if (watchers.get(path) === watcher) unwatch(path);
          onHint({ name: null, renamed: true });
        });
        return { kind: "live" };
      } catch (error) {
        return outcomeOfError(error);
      }
    },
    // One watch is as good for many entries as for few.
    resize: () => Promise.resolve(),
    unwatch,
    count: () => watchers.size,
    close() {
      closed = true;
      for (const path of watchers.keys()) unwatch(path);
    },
  };
}
