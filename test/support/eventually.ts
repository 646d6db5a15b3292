const DEFAULT_TIMEOUT_MS = 15_000;
const POLL_MS = 20;

/** What `attempt` answers once it neither throws nor answers undefined; its last error when that takes too long. */
export async function eventually<T>(
  attempt: () => T | undefined | Promise<T | undefined>,
  timeoutMs = DEFAULT_TIMEOUT_MS,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      const value = await attempt();
      if (value !== undefined) return value;
      if (performance.now() > deadline) throw new Error("it did not come true in time");
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
