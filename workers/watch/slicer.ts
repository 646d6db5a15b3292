import { setImmediate } from "node:timers/promises";

/** Gives the event loop a turn whenever `sliceMs` of work have passed, so that events are taken in while it goes on. */
export function createSlicer(sliceMs: number): { pause(): Promise<void> | undefined } {
  let until = performance.now() + sliceMs;
  return {
    pause() {
      if (performance.now() < until) return undefined;
      return setImmediate().then(() => {
        until = performance.now() + sliceMs;
      });
    },
  };
}
