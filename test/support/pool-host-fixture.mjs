/** The worker host's pool with threads that misbehave on request. */
import { serveHost } from "../../dist/workers/host-loop.js";
import { openPool } from "../../dist/workers/pool.js";

let pool;
serveHost({
  async onStart(init) {
    const entryUrl = new URL(init.entry);
    pool = await openPool({ entryUrl, threads: init.threads, idleThreadMs: 1_000, terminationMs: 200 });
  },
  run: (task, input, signal) => pool.run(task, input, signal),
  onStop: () => pool?.close(),
});
