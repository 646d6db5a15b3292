import { backoffMs } from "../queue/backoff.ts";

/** Those that were captured together do not come back together. */
const JITTER = 0.1;
/** However often it has failed, it is tried again about this often, or as often as it was asked for. */
const MAX_BACKOFF_MS = 7 * 24 * 60 * 60_000;

/** When a snapshot is due again; null for one without a schedule. After failures the wait doubles, up to a week. */
export function refreshTime(
  now: number,
  everyMs: number | null,
  failures: number,
  random: () => number = Math.random,
): number | null {
  if (everyMs === null) return null;
  const wait =
    failures === 0
      ? Math.round(everyMs * (1 + JITTER * (2 * random() - 1)))
      : backoffMs(failures + 2, { baseMs: everyMs, maxMs: Math.max(everyMs * 2, MAX_BACKOFF_MS) }, random());
  return now + wait;
}
