import { toKnowdError } from "../runtime/errors.ts";
import type { Log } from "../runtime/log.ts";
import type { Catalog } from "../storage/catalog/contract.ts";
import type { SnapshotRefresher } from "./refresh-snapshots.ts";

export interface SnapshotSchedule {
  stop(): Promise<void>;
}

export interface SnapshotScheduleDeps {
  readonly catalog: Pick<Catalog, "snapshots">;
  readonly refresher: SnapshotRefresher;
  readonly now: () => number;
  readonly log: Log;
}

/** The shortest schedule is five minutes. */
const LOOK_MS = 30_000;
/** After a long sleep many are due: they go in turns, so that an end is never far. */
const AT_ONCE = 32;

/** Fetches snapshots again when they are due. Off for those without a schedule. */
export function startSnapshotSchedule(deps: SnapshotScheduleDeps, lookMs = LOOK_MS): SnapshotSchedule {
  const stopping = new AbortController();
  let round: Promise<void> = Promise.resolve();
  let running = false;

  const look = async (): Promise<void> => {
    try {
      const due = deps.catalog.snapshots.due(deps.now(), AT_ONCE);
      if (due.length === 0) return;
      const itemIds = due.map(({ itemId }) => itemId);
      const { items } = await deps.refresher.refresh({ itemIds }, stopping.signal);
      for (const { url, outcome, reason } of items)
        if (outcome === "failed" || outcome === "gone")
          deps.log.warn({ url, outcome, reason }, "a snapshot could not be refreshed; its text stays");
    } catch (error) {
      if (stopping.signal.aborted) return;
      deps.log.error({ error: toKnowdError(error).stack }, "snapshots that are due could not be refreshed");
    }
  };
  const timer = setInterval(() => {
    if (running) return;
    running = true;
    round = look().finally(() => (running = false));
  }, lookMs);
  return {
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await round;
    },
  };
}
