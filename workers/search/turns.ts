import { setImmediate } from "node:timers/promises";

/** Lets other tasks have their turn, and a cancel be heard, in the midst of long work. */
export interface Turns {
  /** Gives the loop a turn when the slice is used up. Throws the signal's reason. */
  pause(): Promise<void>;
}

/** One expression on one line can't be interrupted. */
const SLICE_MS = 15;

export function createTurns(signal: AbortSignal): Turns {
  let started = performance.now();
  return {
    async pause() {
      if (performance.now() - started <= SLICE_MS) return;
      await setImmediate();
      signal.throwIfAborted();
      started = performance.now();
    },
  };
}
