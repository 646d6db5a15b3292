import { writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { openWatchThread } from "../../daemon/ingest/watch-thread.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { silent } from "./watch-support.ts";

/** Runs this code as the watcher's thread. */
function openThread(code: string) {
  const file = path.join(temporaryFolder(), "thread.mjs");
  writeFileSync(file, code);
  let ended: (reason: string) => void;
  const exit = new Promise<string>((resolve) => (ended = resolve));
  const thread = openWatchThread({
    threadUrl: pathToFileURL(file),
    log: silent,
    deliver: () => Promise.resolve(),
    onRefused: () => undefined,
    onExit: (reason) => ended(reason),
  });
  return { thread, exit };
}

describe("the watcher's thread", () => {
  it.each([
    ["throws", "throw new Error('the thread broke');", "the thread broke"],
    ["ends by itself", "process.exit(0);", "the watcher's thread ended"],
  ])("that %s is reported as dead, and who waits for it hears so", async (_, end, reason) => {
    const { thread, exit } = openThread(`
      import { parentPort } from "node:worker_threads";
      parentPort.on("message", () => { ${end} });
    `);
    await expect(thread.stats()).rejects.toMatchObject({ errorName: "HOST_UNAVAILABLE", data: { reason } });
    expect(await exit).toBe(reason);
    await expect(thread.stats()).rejects.toMatchObject({ errorName: "HOST_UNAVAILABLE" });
    await thread.close();
  });
});
