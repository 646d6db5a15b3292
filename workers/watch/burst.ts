import { queuedEventsLimit } from "./watch-limits.ts";

/**
 * Counts events of all roots together: they share one kernel queue, and what it drops when it is full is never reported.
 * A full queue can't be read without more than half its length being counted in one window.
 */
export interface Burst {
  count(): void;
  /** Rises by one with each window that had too many events. */
  generation(): number;
  /** Time to scan: events have ceased, so that one scan is enough, or they have gone on for a window since then. */
  hasSettled(since: number): boolean;
}

export interface BurstSettings {
  readonly burstEvents: number;
  readonly burstWindowMs: number;
}

const QUIET_MS = 250;

export function createBurst({ burstEvents, burstWindowMs }: BurstSettings): Burst {
  const most = Math.min(burstEvents, Math.floor((queuedEventsLimit() ?? 16_384) / 2));
  let windowStart = 0;
  let inWindow = 0;
  let generation = 0;
  let lastEvent = Number.NEGATIVE_INFINITY;
  return {
    count() {
      const now = performance.now();
      lastEvent = now;
      if (now - windowStart > burstWindowMs) {
        windowStart = now;
        inWindow = 0;
      }
      if (++inWindow !== most) return;
      generation++;
      windowStart = now;
      inWindow = 0;
    },
    generation: () => generation,
    hasSettled(since) {
      const now = performance.now();
      return now - lastEvent > QUIET_MS || now - since > burstWindowMs;
    },
  };
}
