/** Starts the fixture host, keeps it busy with the task named on the command line, and says its pid. */
import { openHost } from "../../dist/daemon/runtime/open-host.js";
import { openLog } from "../../dist/daemon/runtime/log.js";

const host = openHost({
  name: "fixture",
  entryUrl: new URL("./host-fixture.mjs", import.meta.url),
  init: null,
  heapLimitMb: 64,
  memoryLimitBytes: 2 ** 30,
  idleExitMs: null,
  maxInFlight: 2,
  maxQueued: 2,
  log: openLog({ level: "silent" }),
});
await host.start();
host.run(process.argv[2], {}, { deadlineMs: 60_000 }).catch((error) => process.stderr.write(`${error}\n`));
process.stdout.write(`${host.stats().pid}\n`);
if (process.argv[3] === "exit") setTimeout(() => process.exit(0), 50);
