import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { isRunning, processEnd } from "../support/processes.ts";

async function startParent(...args: string[]): Promise<{ parent: ChildProcess; childPid: number }> {
  const script = fileURLToPath(new URL("../support/parent-fixture.mjs", import.meta.url));
  const parent = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(parent.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
  return { parent, childPid: Number(line.toString()) };
}

test("a child ends with a parent that was killed", async () => {
  const { parent, childPid } = await startParent("deaf");
  parent.kill("SIGKILL");
  await processEnd(childPid);
  expect(isRunning(childPid)).toBe(false);
});

test("a blocked child ends with a parent that exits", async () => {
  const { childPid } = await startParent("block", "exit");
  await processEnd(childPid);
  expect(isRunning(childPid)).toBe(false);
});

test.skipIf(process.platform === "win32")("a child leaves the terminal's signals to its parent", async () => {
  const { parent, childPid } = await startParent("deaf");
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.kill(childPid, signal);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(isRunning(childPid)).toBe(true);
  parent.kill("SIGKILL");
  await processEnd(childPid);
});
