import { RpcError } from "../client-errors.ts";

/** As many calls at once as the daemon takes from one connection; the others wait, in the order of their coming. */
export interface Turns {
  /** Resolves when it is this call's turn. Rejects with OVERLOADED when too many wait already. */
  run<T>(signal: AbortSignal | undefined, call: () => Promise<T>): Promise<T>;
}

/** Each holds its arguments, which may be a megabyte. */
const MAX_WAITING = 256;

export function takeTurns(most: number): Turns {
  const waiting: (() => void)[] = [];
  let running = 0;
  return {
    async run(signal, call) {
      if (running < most) running++;
      else {
        if (waiting.length >= MAX_WAITING) throw RpcError.ofTable("OVERLOADED");
        // Whoever ends hands its place on, so that nobody can come in between.
        await new Promise<void>((resolve) => void waiting.push(resolve));
      }
      try {
        signal?.throwIfAborted();
        return await call();
      } finally {
        const next = waiting.shift();
        if (next === undefined) running--;
        else next();
      }
    },
  };
}
