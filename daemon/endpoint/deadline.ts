/**
 * Runs `fn` with a signal that aborts after `ms` (a TimeoutError) or with `outer`. Its listener is gone afterwards, so that
 * a signal that lives as long as the daemon gathers none.
 */
export async function withDeadline<T>(
  ms: number,
  outer: AbortSignal,
  fn: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  outer.throwIfAborted();
  const controller = new AbortController();
  const follow = (): void => controller.abort(outer.reason);
  const timer = setTimeout(() => {
    controller.abort(new DOMException(`no answer within ${ms} ms`, "TimeoutError"));
  }, ms);
  outer.addEventListener("abort", follow, { once: true });
  try {
    return await fn(controller.signal);
  } finally {
    clearTimeout(timer);
    outer.removeEventListener("abort", follow);
  }
}
