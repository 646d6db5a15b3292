import type { WatchMessage } from "./contract.ts";

/** Messages to main, never more than a few ahead of what main has worked through. */
export interface Outbox {
  /** Resolves when the message is on its way; that is main's brake. */
  send(message: WatchMessage): Promise<void>;
  /** Main is done with one. */
  acknowledge(): void;
}

export function createOutbox(post: (message: WatchMessage) => void, maxAhead: number): Outbox {
  const waiting: (() => void)[] = [];
  let ahead = 0;
  return {
    async send(message) {
      // Who is woken has been given its place already.
      if (ahead >= maxAhead) await new Promise<void>((resolve) => waiting.push(resolve));
      else ahead++;
      post(message);
    },
    acknowledge() {
      const next = waiting.shift();
      if (next) next();
      else ahead--;
    },
  };
}
