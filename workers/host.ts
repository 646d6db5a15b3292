/** The worker host: a child process whose threads read, cut and embed. Started by the daemon, which supervises it. */
import { serveHost } from "./host-loop.ts";
import { openPool, type Pool } from "./pool.ts";

/** What the daemon passes as the child's init. */
export interface WorkerHostInit {
  readonly threads: number;
}

const IDLE_THREAD_MS = 10_000;

let pool: Pool | undefined;

serveHost({
  async onStart(init) {
    const threads = (init as Partial<WorkerHostInit> | null)?.threads;
    if (typeof threads !== "number" || !Number.isInteger(threads) || threads < 1)
      throw new Error(`the worker host needs a number of threads, not ${JSON.stringify(threads)}`);
    const entryUrl = new URL("./entry.js", import.meta.url);
    pool = await openPool({ entryUrl, threads, idleThreadMs: IDLE_THREAD_MS });
  },
  run(task, input, signal) {
    if (!pool) throw new Error("a task came before the host was ready");
    return pool.run(task, input, signal);
  },
  onStop: () => pool?.close(),
});
