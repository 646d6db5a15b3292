/** Without use for this long, the memory goes back. */
const IDLE_MS = 30_000;

/** Calls `forget` once nothing has been used for a while. */
export interface IdleMemory {
  used(): void;
  /** There is nothing to forget any more. */
  stop(): void;
}

export function createIdleMemory(forget: () => void): IdleMemory {
  let timer: NodeJS.Timeout | undefined;
  return {
    used() {
      if (timer) timer.refresh();
      else timer = setTimeout(forget, IDLE_MS).unref();
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
