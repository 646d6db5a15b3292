import { monitorEventLoopDelay, type IntervalHistogram } from "node:perf_hooks";

interface LoopDelayStats {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export interface LoopDelay {
  /** How late the event loop ran over the last half to whole window. */
  stats(): LoopDelayStats;
  close(): void;
}

export interface LoopDelayOptions {
  readonly windowMs?: number;
}

const RESOLUTION_MS = 20;
const NS_PER_MS = 1e6;

/** Two monitors take turns: one is read while the other, begun half a window later, fills up to replace it. */
export function openLoopDelay({ windowMs = 60_000 }: LoopDelayOptions = {}): LoopDelay {
  let older = startMonitor();
  let newer = startMonitor();

  const timer = setInterval(() => {
    older.reset();
    [older, newer] = [newer, older];
  }, windowMs / 2);
  timer.unref();

  return {
    stats: () => ({
      p50Ms: lateness(older.percentile(50)),
      p99Ms: lateness(older.percentile(99)),
      maxMs: older.count > 0 ? lateness(older.max) : 0,
    }),
    close() {
      clearInterval(timer);
      older.disable();
      newer.disable();
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
