import { AsyncLocalStorage } from "node:async_hooks";
import { createKeyedMutex, type KeyedMutex } from "../../runtime/keyed-mutex.ts";

/** The mutex of each base. Whoever holds it may ask for it again: such inner calls run one after the other. */
export interface BaseLock {
  run<T>(baseId: string, fn: () => Promise<T>, options?: { signal?: AbortSignal | undefined }): Promise<T>;
  /** Runs `fn` as if nobody held anything: for telling others, who may act on it at their own time. */
  outside<T>(fn: () => T): T;
  settled(baseId: string): Promise<void>;
}

interface Hold {
  readonly baseId: string;
  readonly inner: KeyedMutex;
  readonly outer: Hold | undefined;
  /** False after its `fn` has ended: what it left running has to wait like anyone else. */
  live: boolean;
}

export function createBaseLock(): BaseLock {
  const mutex = createKeyedMutex();
  const holds = new AsyncLocalStorage<Hold>();
  let live = 0;

  const liveHold = (baseId: string): Hold | undefined => {
    let hold = holds.getStore();
    while (hold && !(hold.baseId === baseId && hold.live)) hold = hold.outer;
    return hold;
  };

  return {
    run(baseId, fn, options = {}) {
      const held = liveHold(baseId);
      const hold: Hold = { baseId, inner: createKeyedMutex(), outer: holds.getStore(), live: true };
      const guarded = async () => {
        live++;
        try {
          return await holds.run(hold, fn);
        } finally {
          hold.live = false;
          // While it is in use, each promise of the process costs more: searches have hundreds.
          if (--live === 0) holds.disable();
          // Inner calls that `fn` did not wait for, because another one failed, say, still write under this hold.
          await hold.inner.settled(baseId);
        }
      };
      return (held?.inner ?? mutex).runExclusive(baseId, guarded, options);
    },
    outside: (fn) => holds.exit(fn),
    settled: (baseId) => mutex.settled(baseId),
  };
}
