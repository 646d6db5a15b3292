import { setImmediate } from "node:timers/promises";

export interface Slicer {
  /** True when this slice has used up its time. */
  due(): boolean;
  /** Gives the event loop a turn and starts a new slice. */
  yield(): Promise<void>;
  /** Yields only when the slice's time is used up. */
  pause(): Promise<void>;
}

/** Long work on the main thread goes in slices of `sliceMs`, with the event loop's turn between them. */
export function createSlicer(sliceMs: number): Slicer {
  let started = performance.now();
  const slicer: Slicer = {
    due: () => performance.now() - started >= sliceMs,
    async yield() {
      await setImmediate();
      started = performance.now();
    },
    async pause() {
      if (slicer.due()) await slicer.yield();
    },
  };
  return slicer;
}
