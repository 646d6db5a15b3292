/** The longest delay a timer takes. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface DeadlineOptions {
  readonly deadlineMs: number;
  /** Aborts the work from outside. */
  readonly signal: AbortSignal;
  /** What work threw after it had been given up: nobody waits for it, but it may be a defect. */
  readonly onLateError: (error: unknown) => void;
}

/**
 * Runs work under a deadline. Rejects with the signal's reason, or with a TimeoutError at the deadline, without waiting
 * for work that does not look at its own signal.
 */
export function underDeadline<R>(
  options: DeadlineOptions,
  work: (signal: AbortSignal) => Promise<R> | R,
): Promise<R> {
  const { signal: outer, deadlineMs, onLateError } = options;
  if (outer.aborted) return Promise.reject(outer.reason as Error);
  return new Promise((resolve, reject) => {
    const controller = new AbortController();
    let settled = false;
    const timer = setTimeout(
      () => giveUp(new DOMException(`The deadline of ${deadlineMs} ms has passed.`, "TimeoutError")),
      Math.min(deadlineMs, MAX_TIMER_MS),
    );
    const onAbort = () => giveUp(outer.reason);
    outer.addEventListener("abort", onAbort, { once: true });

    function settle(): boolean {
      if (settled) return false;
      settled = true;
      clearTimeout(timer);
      outer.removeEventListener("abort", onAbort);
      return true;
    }
    function giveUp(reason: unknown): void {
      if (!settle()) return;
      reject(reason);
      controller.abort(reason);
    }
    function fail(error: unknown): void {
      if (settle()) reject(error);
      else onLateError(error);
    }
    // An async function turns what the work throws before its first await into a rejection too.
    const running = (async () => work(controller.signal))();
    running.then((result) => {
      if (settle()) resolve(result);
    }, fail);
  });
}
