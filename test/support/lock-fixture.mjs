/** Tries to become the daemon of a folder: node lock-fixture.mjs <dataDir> <socketPath>. Prints what came of it. */
import { acquireInstanceLock } from "../../dist/daemon/runtime/instance-lock.js";

const [dataDir, socketPath] = process.argv.slice(2);
try {
  await acquireInstanceLock({ dataDir, socketPath });
  process.stdout.write(`${JSON.stringify({ won: true, pid: process.pid })}\n`);
  // The winner holds the lock until its stdin ends.
  process.stdin.resume().on("end", () => process.exit(0));
} catch (error) {
  process.stdout.write(`${JSON.stringify({ won: false, name: error.errorName, ...error.data })}\n`);
}
