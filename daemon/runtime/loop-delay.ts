import { monitorEventLoopDelay, type IntervalHistogram } from "node:perf_hooks";

interface LoopDelayStats {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export interface LoopDelay {
  /** How late the event loop ran over the last half to whole window. */
  stats(): LoopDelayStats;
  /** Calls back with the lag after each time the loop stood still for more than `lagMs`. Returns how to stop that. */
  onLag(callback: (lagMs: number) => void): () => void;
  close(): void;
}

export interface LoopDelayOptions {
  readonly windowMs?: number;
  /** Events of the operating system may have been lost when the loop stood still for longer. */
  readonly lagMs?: number;
}

const RESOLUTION_MS = 20;
const LAG_CHECK_MS = 250;
const NS_PER_MS = 1e6;

/** Two monitors take turns: one is read while the other, begun half a window later, fills up to replace it. */
export function openLoopDelay({ windowMs = 60_000, lagMs = 1_000 }: LoopDelayOptions = {}): LoopDelay {
  let older = startMonitor();
  let newer = startMonitor();
  const listeners = new Set<(lagMs: number) => void>();
  let lastCheck = performance.now();
  let lastTurn = lastCheck;

  const timer = setInterval(() => {
    const now = performance.now();
    const lag = now - lastCheck - LAG_CHECK_MS;
    lastCheck = now;
    if (lag > lagMs) for (const listener of listeners) listener(lag);
    if (now - lastTurn < windowMs / 2) return;
    lastTurn = now;
    older.reset();
    [older, newer] = [newer, older];
  }, LAG_CHECK_MS);
  timer.unref();

  return {
    stats: () => ({
      p50Ms: lateness(older.percentile(50)),
      p99Ms: lateness(older.percentile(99)),
      maxMs: older.count > 0 ? lateness(older.max) : 0,
    }),
    onLag(callback) {
      listeners.add(callback);
      return () => void listeners.delete(callback);
    },
    close() {
      clearInterval(timer);
      older.disable();
      newer.disable();
      listeners.clear();
    },
  };
}

function startMonitor(): IntervalHistogram {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  return histogram;
}

/** The histogram holds the time between two ticks, so a loop that is never late shows the resolution itself. */
function lateness(betweenTicksNs: number): number {
  return Math.max(0, betweenTicksNs / NS_PER_MS - RESOLUTION_MS);
}
