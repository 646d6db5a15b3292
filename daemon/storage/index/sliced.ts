import { createSlicer } from "../../runtime/yielding.ts";
import type { Database } from "../sqlite.ts";

export interface Pace {
  readonly sliceMs: number;
  /** Aborted when the registry closes: work in hand is rolled back or left for the next start. */
  readonly stop: AbortSignal;
}

/**
 * Runs the steps in one transaction that stays open over turns of the event loop. Only for callers that hold the base's
 * lock: nobody else may write on this connection meanwhile. Readers see nothing of it before the commit.
 */
export async function runSliced<T>(db: Database, steps: Generator<undefined, T>, pace: Pace): Promise<T> {
  const slicer = createSlicer(pace.sliceMs);
  db.raw.exec("BEGIN IMMEDIATE");
  try {
    for (;;) {
      const step = steps.next();
      if (step.done) {
        db.raw.exec("COMMIT");
        return step.value;
      }
      if (slicer.due()) {
        await slicer.yield();
        pace.stop.throwIfAborted();
      }
    }
  } catch (error) {
    if (db.raw.inTransaction) db.raw.exec("ROLLBACK");
    throw error;
  }
}

/** Runs the steps to their end without a pause: for what is known to be short. */
export function runAtOnce<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
