import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import {
  defaultWatchSettings,
  type FromWatchThread,
  type ToWatchThread,
  type WatchCommand,
  type WatchMessage,
  type WatchSettings,
  type WatchStats,
  type WatchThreadData,
} from "../../workers/watch/contract.ts";
import { KnowdError } from "../runtime/errors.ts";
import type { Log } from "../runtime/log.ts";

export interface WatchThreadDeps {
  readonly threadUrl: URL;
  readonly settings?: Partial<WatchSettings> | undefined;
  readonly log: Pick<Log, "info" | "warn" | "error">;
  /** One message at a time, in order; the thread hears when it is done. Must not reject. */
  readonly deliver: (message: WatchMessage) => Promise<void>;
  readonly onRefused: (request: number, reason: string) => void;
  readonly onExit: (reason: string) => void;
}

/** The wire to the watcher's thread: commands and answers, messages and their acknowledgement. */
export interface WatchThread {
  /** Rejects with HOST_UNAVAILABLE when the thread is not running, with INTERNAL when it refuses. */
  command(command: WatchCommand): Promise<WatchStats | null>;
  /** Sends without waiting for the answer. */
  tell(command: WatchCommand): void;
  stats(): Promise<WatchStats>;
  close(): Promise<void>;
}

interface PendingCommand {
  resolve(stats: WatchStats | null): void;
  reject(error: KnowdError): void;
}

/** A thread that is stuck in a file call of a dead mount can't be asked to end. */
const CLOSE_GRACE_MS = 1_000;

export function openWatchThread(deps: WatchThreadDeps): WatchThread {
  const workerData: WatchThreadData = { settings: { ...defaultWatchSettings, ...deps.settings } };
  const worker = new Worker(deps.threadUrl, { workerData, execArgv: [] });
  const pending = new Map<number, PendingCommand>();
  let lastId = 0;
  let closing = false;
  let dead: string | null = null;

  const post = (message: ToWatchThread): void => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage(message);
  };

  worker.on("message", receiver(deps, pending, post));
  worker.on("error", (error) => {
    dead = error.message;
    deps.log.error({ part: "watcher", error }, "the watcher's thread failed");
  });
  // Not events.once: that rejects at the error which comes before the exit.
  const exited = new Promise<void>((resolve) => {
    worker.once("exit", () => {
      dead ??= "the watcher's thread ended";
      for (const waiting of pending.values())
        waiting.reject(new KnowdError("HOST_UNAVAILABLE", { reason: dead }));
      pending.clear();
      if (!closing) deps.onExit(dead);
      resolve();
    });
  });

  const command = (what: WatchCommand): Promise<WatchStats | null> =>
    new Promise((resolve, reject) => {
      if (dead !== null) {
        reject(new KnowdError("HOST_UNAVAILABLE", { reason: dead }));
        return;
      }
      pending.set(++lastId, { resolve, reject });
      post({ type: "command", id: lastId, command: what });
    });

  return {
    command,
    tell: (what) => post({ type: "command", id: ++lastId, command: what }),
    async stats() {
      return (await command({ type: "stats" })) ?? { watches: 0, refused: 0, files: 0, special: 0 };
    },
    async close() {
      closing = true;
      post({ type: "command", id: ++lastId, command: { type: "close" } });
      await Promise.race([exited, delay(CLOSE_GRACE_MS, undefined, { ref: false })]);
      await worker.terminate();
    },
  };
}

function receiver(
  deps: WatchThreadDeps,
  pending: Map<number, PendingCommand>,
  post: (message: ToWatchThread) => void,
): (message: FromWatchThread) => void {
  let deliveries = Promise.resolve();
  return (message) => {
    switch (message.type) {
      case "message":
        deliveries = deliveries.then(() => deps.deliver(message.message)).then(() => post({ type: "ack" }));
        return;
      case "answer":
        answer(pending, message);
        return;
      case "refused":
        deps.onRefused(message.request, message.reason);
        return;
      case "log":
        deps.log[message.level]({ part: "watcher" }, message.text);
        return;
      default:
        message satisfies never;
    }
  };
}

function answer(
  pending: Map<number, PendingCommand>,
  message: Extract<FromWatchThread, { type: "answer" }>,
): void {
  const waiting = pending.get(message.id);
  pending.delete(message.id);
  if (message.error === null) waiting?.resolve(message.stats);
  else waiting?.reject(new KnowdError("INTERNAL", { reason: message.error }, message.error));
}
