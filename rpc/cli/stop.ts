import { CommandFailure, EXIT } from "./exit.ts";
import { out, printJson } from "./print.ts";
import { withClient, type GlobalFlags } from "./session.ts";

/** Asks the daemon to stop and waits until its process has ended. */
export async function stop(flags: GlobalFlags): Promise<void> {
  await withClient(flags, async (client) => {
    const { pid } = await client.call("system.status", {});
    await client.call("system.shutdown", {});
    await client.closed;
    if (!(await ended(pid)))
      throw new CommandFailure(EXIT.failed, `the daemon (pid ${pid}) was asked to stop and is still there`);
    if (flags.json) printJson({ stopped: pid });
    else out("Stopped.");
  });
}

const POLL_MS = 20;
const GIVE_UP_MS = 10_000;

/** The socket closes a moment before the process ends; whoever starts again at once would meet it. */
async function ended(pid: number): Promise<boolean> {
  const deadline = performance.now() + GIVE_UP_MS;
  while (isAlive(pid) && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  return !isAlive(pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // ESRCH: it has ended.
    return false;
  }
}
