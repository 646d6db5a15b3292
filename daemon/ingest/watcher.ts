import { setTimeout as delay } from "node:timers/promises";
import type { WatchCommand, WatchMessage, WatchSettings } from "../../workers/watch/contract.ts";
import { isDiskFull, KnowdError } from "../runtime/errors.ts";
import type { Log } from "../runtime/log.ts";
import { createScanRequests } from "./scan-requests.ts";
import type { Watcher } from "./watch-contract.ts";
import { openWatchThread } from "./watch-thread.ts";

export interface WatcherDeps {
  /** The built workers/watch/thread.js. */
  readonly threadUrl: URL;
  /**
   * Awaited: the thread is never more than a few messages ahead of it. A message that it rejects is delivered again, ever
   * later (1 s to 30 s), and none overtakes it: what is lost here would be lost to the index.
   */
  readonly onMessage: (message: WatchMessage) => void | Promise<void>;
  readonly settings?: Partial<WatchSettings> | undefined;
  readonly log: Pick<Log, "info" | "warn" | "error">;
  /** The thread has died by itself: nothing is followed any more. */
  readonly onExit?: ((reason: string) => void) | undefined;
}

const RETRY_FIRST_MS = 1_000;
const RETRY_MOST_MS = 30_000;

export function openWatcher(deps: WatcherDeps): Watcher {
  const followed = new Set<string>();
  const scans = createScanRequests();
  const closing = new AbortController();

  const deliver = async (message: WatchMessage): Promise<void> => {
    const wanted = (): boolean => followed.has(message.sourceId) && !closing.signal.aborted;
    if (!wanted() || !(await deliverOnce(deps, message, wanted, closing.signal))) return;
    if (message.type === "scanned" && message.request !== null) scans.resolve(message.request, message);
  };

  const thread = openWatchThread({
    ...deps,
    deliver,
    onRefused: (request, reason) => scans.refuse(request, reason),
    onExit(reason) {
      scans.rejectAll(new KnowdError("HOST_UNAVAILABLE", { reason }));
      deps.onExit?.(reason);
    },
  });

  /** Rejects with SOURCE_NOT_FOUND before the thread is asked. */
  const commandFor = async (sourceId: string, command: WatchCommand): Promise<void> => {
    if (!followed.has(sourceId)) throw new KnowdError("SOURCE_NOT_FOUND", { sourceId });
    await thread.command(command);
  };

  const remove = async (sourceId: string): Promise<void> => {
    followed.delete(sourceId);
    scans.rejectAll(new KnowdError("SOURCE_NOT_FOUND", { sourceId }), sourceId);
    await thread.command({ type: "remove", sourceId });
  };

  return {
    async add(root, known) {
      const { sourceId } = root;
      await thread.command({ type: "add", root });
      followed.add(sourceId);
      try {
        for await (const files of known) await commandFor(sourceId, { type: "known", sourceId, files });
        await commandFor(sourceId, { type: "start", sourceId });
      } catch (error) {
        // With part of what is known the rest would count as new.
        await remove(sourceId);
        throw error;
      }
    },
    update: (sourceId, rules) => commandFor(sourceId, { type: "update", sourceId, rules }),
    remove,
    scan: (sourceId) =>
      scans.request(sourceId, (request) => commandFor(sourceId, { type: "scan", sourceId, request })),
    forget: (sourceId, paths) => thread.tell({ type: "forget", sourceId, paths }),
    stats: () => thread.stats(),
    async close() {
      closing.abort();
      scans.rejectAll(new KnowdError("STOPPING"));
      await thread.close();
    },
  };
}

/** Until it is taken. False when it is not wanted any more. */
async function deliverOnce(
  { onMessage, log }: WatcherDeps,
  message: WatchMessage,
  wanted: () => boolean,
  signal: AbortSignal,
): Promise<boolean> {
  for (let waitMs = RETRY_FIRST_MS; ; waitMs = Math.min(2 * waitMs, RETRY_MOST_MS)) {
    try {
      await onMessage(message);
      return true;
    } catch (error) {
      log[isDiskFull(error) ? "warn" : "error"](
        { sourceId: message.sourceId, type: message.type, waitMs, error },
        "a change was not taken in; again soon",
      );
    }
    // An abort ends the wait; whether to go on is asked below.
    await delay(waitMs, undefined, { signal }).catch(() => undefined);
    if (!wanted()) return false;
  }
}
