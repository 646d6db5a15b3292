import { setImmediate } from "node:timers/promises";

/** Lets other tasks have their turn, and a cancel be heard, in the midst of long work. */
export interface Turns {
  /** The slice is used up: asked between two steps, of which each is short. */
  due(): boolean;
  /** Gives the loop a turn when the slice is used up. Throws the signal's reason. */
  pause(): Promise<void>;
}

/** Work that stops where its turn is over, and goes on when it is asked to. */
export type Interruptible<T> = Generator<void, T, void>;

/** A search that comes meanwhile waits for as long at most. */
const SLICE_MS = 5;

export function createTurns(signal: AbortSignal): Turns {
  let started = performance.now();
  const due = () => performance.now() - started > SLICE_MS;
  return {
    due,
    async pause() {
      if (!due()) return;
      await setImmediate();
      signal.throwIfAborted();
      started = performance.now();
    },
  };
}

/** Does the work, with a turn for others wherever it stops. */
export async function finish<T>(work: Interruptible<T>, turns: Turns): Promise<T> {
  let step = work.next();
  for (; step.done !== true; step = work.next()) await turns.pause();
  return step.value;
}
