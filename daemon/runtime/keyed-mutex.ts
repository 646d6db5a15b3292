export interface KeyedMutex {
  /** Runs `fn` when every earlier call with this key has ended. An abort before its turn rejects with the signal's reason. */
  runExclusive<T>(key: string, fn: () => T | Promise<T>, options?: { signal?: AbortSignal | undefined }): Promise<T>;
  /** Resolves when nothing holds or waits for the key. */
  settled(key: string): Promise<void>;
}

export function createKeyedMutex(): KeyedMutex {
  const tails = new Map<string, Promise<void>>();
  return {
    async runExclusive(key, fn, options = {}) {
      const before = tails.get(key) ?? Promise.resolve();
      const mine = before.then(async () => {
        options.signal?.throwIfAborted();
        return await fn();
      });
      const tail = mine.then(
        () => undefined,
        () => undefined,
      );
      tails.set(key, tail);
      try {
        return await mine;
      } finally {
        if (tails.get(key) === tail) tails.delete(key);
      }
    },
    async settled(key) {
      for (let tail = tails.get(key); tail; tail = tails.get(key)) await tail;
    },
  };
}
