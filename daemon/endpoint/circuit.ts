/**
 * Keeps callers from an endpoint that failed a moment ago. closed → (failed) open → (pause over) one may try → closed or open
 * again, for twice as long.
 */
export interface Circuit {
  /** Null when the endpoint may be asked; else a sentence that says why not. What is let in must be told by `worked`, `failed` or `left`. */
  refusal(): string | null;
  worked(): void;
  /** `pauseMs` is what the endpoint asked for, when that is longer. */
  failed(reason: string, pauseMs: number | null): void;
  /** Nothing was learnt of the endpoint: the caller went away. */
  left(): void;
}

/** Short enough that a restarted server is back soon, long enough that a search in ten waits for a dead one at most. */
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;

/** `now`: milliseconds of a clock that never jumps. */
export function createCircuit(now: () => number): Circuit {
  let failures = 0;
  let openUntil = 0;
  let trying = false;
  let why = "";
  return {
    refusal() {
      if (failures === 0) return null;
      const waitMs = openUntil - now();
      if (waitMs > 0) return `${why}; it is asked again in ${Math.ceil(waitMs / 1000)} s`;
      if (trying) return `${why}; it is being asked again`;
      trying = true;
      return null;
    },
    worked() {
      failures = 0;
      trying = false;
    },
    failed(reason, pauseMs) {
      // What was on its way when the first one failed says nothing new.
      const isNews = failures === 0 || trying;
      if (isNews) failures++;
      trying = false;
      why = reason;
      const ownMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
      openUntil = Math.max(openUntil, now() + Math.max(ownMs, pauseMs ?? 0));
    },
    left() {
      trying = false;
    },
  };
}
