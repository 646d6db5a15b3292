export interface KeyedMutex {
  /**
   * Runs `fn` when every earlier call with this key has ended. An abort before its turn rejects at once with the signal's
   * reason, and `fn` never runs; an abort after that is `fn`'s own affair. Not re-entrant: waiting inside `fn` for the
   * same key never ends.
   */
  runExclusive<T>(
    key: string,
    fn: () => T | Promise<T>,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<T>;
  /** Resolves when nothing holds or waits for the key. */
  settled(key: string): Promise<void>;
}

export function createKeyedMutex(): KeyedMutex {
  const tails = new Map<string, Promise<void>>();
  return {
    runExclusive<T>(
      key: string,
      fn: () => T | Promise<T>,
      { signal }: { signal?: AbortSignal | undefined } = {},
    ) {
      // The reason is the caller's own value, and is passed on as it is.
      // eslint-disable-next-line typescript/prefer-promise-reject-errors
      if (signal?.aborted) return Promise.reject<T>(signal.reason);
      const before = tails.get(key) ?? Promise.resolve();
      let begun = false;
      const mine = before.then(() => {
        signal?.throwIfAborted();
        begun = true;
        return fn();
      });
      const done = () => {
        if (tails.get(key) === tail) tails.delete(key);
      };
      const tail: Promise<void> = mine.then(done, done);
      tails.set(key, tail);
      return signal ? abandonable(mine, signal, () => begun) : mine;
    },
    async settled(key) {
      for (let tail = tails.get(key); tail; tail = tails.get(key)) await tail;
    },
  };
}

/** `mine`, but rejected at once when the signal aborts before it has begun. */
function abandonable<T>(mine: Promise<T>, signal: AbortSignal, begun: () => boolean): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abandon = () => {
      // The reason is the caller's own value, and is passed on as it is.
      // eslint-disable-next-line typescript/prefer-promise-reject-errors
      if (!begun()) reject(signal.reason);
    };
    signal.addEventListener("abort", abandon, { once: true });
    const forget = () => signal.removeEventListener("abort", abandon);
    mine.finally(forget).then(resolve, reject);
  });
}
