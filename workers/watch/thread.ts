import { parentPort, workerData } from "node:worker_threads";
import type { Backend } from "./backend.ts";
import { createBurst } from "./burst.ts";
import type {
  FromWatchThread,
  ToWatchThread,
  WatchCommand,
  WatchRoot,
  WatchStats,
  WatchThreadData,
} from "./contract.ts";
import { createFollower, type Follower } from "./follower.ts";
import { createOutbox } from "./outbox.ts";

/*
 * The watcher's thread. A thread of its own takes events in while the main thread is busy; a full kernel queue drops what
 * follows. It runs only our own code and opens no document, so unlike the readers it needs no process of its own.
 */

/** Messages that may be on their way or at work in main; each holds 500 files at most. */
const MAX_AHEAD = 4;

const port = parentPort;
if (!port) throw new Error("This file runs as a worker thread.");
const { settings } = workerData as WatchThreadData;

const post = (message: FromWatchThread): void => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  port.postMessage(message);
};
const outbox = createOutbox((message) => post({ type: "message", message }), MAX_AHEAD);
const burst = createBurst(settings);
const followers = new Map<string, Follower>();

const sum = (key: keyof WatchStats | "directories"): number => {
  let total = 0;
  for (const follower of followers.values()) total += follower.stats()[key];
  return total;
};

// Chokidar is loaded only where it is used.
const createBackend =
  settings.backend === "chokidar"
    ? (await import("./chokidar-backend.ts")).createChokidarBackend
    : (await import("./directory-backend.ts")).createDirectoryBackend;

// The stats of a follower walk its tree: the watches in use are asked for each new directory.
const backends = new Set<Backend>();
const mayWatchMore = (): boolean => {
  if (settings.maxWatches === null) return true;
  let used = 0;
  for (const each of backends) used += each.count();
  return used < settings.maxWatches;
};

function required(sourceId: string): Follower {
  const follower = followers.get(sourceId);
  if (!follower) throw new Error(`The source ${sourceId} is not followed.`);
  return follower;
}

function add(root: WatchRoot): void {
  if (followers.has(root.sourceId)) throw new Error(`The source ${root.sourceId} is followed already.`);
  const own = createBackend();
  backends.add(own);
  let removed = false;
  const follower = createFollower({
    root,
    settings,
    backend: own,
    burst,
    // The loop may still be at work when the source is removed, and another may follow the same source by then.
    post: (message) => (removed ? Promise.resolve() : outbox.send(message)),
    refuse: (request, reason) => post({ type: "refused", request, reason }),
    log: (level, text) => post({ type: "log", level, text }),
    allDirectories: () => sum("directories"),
    mayWatchMore,
  });
  followers.set(root.sourceId, {
    ...follower,
    close() {
      removed = true;
      follower.close();
      backends.delete(own);
    },
  });
}

function run(command: WatchCommand): WatchStats | null {
  switch (command.type) {
    case "add":
      add(command.root);
      return null;
    case "known":
      required(command.sourceId).seed(command.files);
      return null;
    case "start":
      required(command.sourceId).start();
      return null;
    case "update":
      required(command.sourceId).update(command.rules);
      return null;
    case "remove":
      followers.get(command.sourceId)?.close();
      followers.delete(command.sourceId);
      return null;
    case "scan":
      required(command.sourceId).scan(command.request);
      return null;
    case "forget":
      followers.get(command.sourceId)?.forget(command.paths);
      return null;
    case "stats":
      return {
        watches: sum("watches"),
        refused: sum("refused"),
        files: sum("files"),
        special: sum("special"),
      };
    case "close":
      for (const follower of followers.values()) follower.close();
      followers.clear();
      return null;
    default:
      return command satisfies never;
  }
}

port.on("message", (request: ToWatchThread) => {
  if (request.type === "ack") {
    outbox.acknowledge();
    return;
  }
  const { id, command } = request;
  try {
    post({ type: "answer", id, stats: run(command), error: null });
  } catch (error) {
    post({ type: "answer", id, stats: null, error: error instanceof Error ? error.message : String(error) });
  }
  // Ends this thread alone. Chokidar's timers would hold it for a second more.
  if (command.type === "close") process.exit(0);
});
