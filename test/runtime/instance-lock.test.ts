import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { KnowdError } from "../../daemon/runtime/errors.ts";
import { readInstanceInfo } from "../../config/instance-info.ts";
import { acquireInstanceLock } from "../../daemon/runtime/instance-lock.ts";
import { processEnd } from "../support/processes.ts";

interface Outcome {
  won: boolean;
  pid: number;
  name?: string;
  socketPath?: string;
}

let dataDir = "";
const children: ChildProcess[] = [];
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), "knowd-lock-"));
});
afterEach(async () => {
  await Promise.all(children.splice(0).map(end));
  rmSync(dataDir, { recursive: true });
});

async function end(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

async function starter(socketPath: string): Promise<Outcome> {
  const script = fileURLToPath(new URL("../support/lock-fixture.mjs", import.meta.url));
  const child = spawn(process.execPath, [script, dataDir, socketPath], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  children.push(child);
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
  return JSON.parse(line.toString()) as Outcome;
}

describe("P12 one daemon per data folder", () => {
  test("24 starters at once: one wins, and the others name its socket", async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 24 }, (_unused, at) => starter(path.join(dataDir, `${at}.sock`))),
    );
    const winners = outcomes.filter(({ won }) => won);
    expect(winners).toHaveLength(1);
    const info = readInstanceInfo(dataDir);
    expect(info?.pid).toBe(winners[0]?.pid);
    for (const loser of outcomes.filter(({ won }) => !won)) {
      expect(loser).toMatchObject({ name: "ALREADY_RUNNING", pid: info?.pid, socketPath: info?.socketPath });
    }
  });

  test("a lock whose holder was killed is free", async () => {
    const { pid } = await starter("old.sock");
    const refused = await acquireInstanceLock({ dataDir, socketPath: "new.sock" }).catch(
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(KnowdError);
    expect((refused as KnowdError).data).toMatchObject({ pid, socketPath: "old.sock" });
    await Promise.all(children.splice(0).map(end));
    await processEnd(pid);
    const lock = await acquireInstanceLock({ dataDir, socketPath: "new.sock" });
    expect(readInstanceInfo(dataDir)).toEqual(lock.info);
    lock.release();
  });

  test("releasing frees it, removes what it said about itself, and may be done twice", async () => {
    const lock = await acquireInstanceLock({ dataDir, socketPath: "a.sock" });
    lock.release();
    lock.release();
    expect(readInstanceInfo(dataDir)).toBeNull();
    const next = await acquireInstanceLock({ dataDir, socketPath: "b.sock" });
    expect(next.info).toMatchObject({ pid: process.pid, socketPath: "b.sock" });
    next.release();
  });

  test("a holder that has not said who it is yet is reported without a name, after some patience", async () => {
    const lock = await acquireInstanceLock({ dataDir, socketPath: "a.sock" });
    rmSync(path.join(dataDir, "daemon.json"));
    const refused = acquireInstanceLock({ dataDir, socketPath: "b.sock", patienceMs: 100 });
    await expect(refused).rejects.toMatchObject({
      errorName: "ALREADY_RUNNING",
      data: { pid: null, socketPath: null },
    });
    lock.release();
  });
});

test.runIf(process.platform === "linux")(
  "P12 what a killed holder left behind is not believed when its pid is another process's by now",
  async () => {
    const { pid } = await starter("killed.sock");
    const file = path.join(dataDir, "daemon.json");
    const left = JSON.parse(readFileSync(file, "utf8")) as { birth: string };
    await Promise.all(children.splice(0).map(end));
    await processEnd(pid);
    // Somebody locks, and has not said who it is yet: what stands there is of the killed one, whose pid is ours now.
    const lock = await acquireInstanceLock({ dataDir, socketPath: "next.sock" });
    const { birth } = lock.info;
    writeFileSync(file, JSON.stringify({ ...left, pid: process.pid }));
    const refusal = acquireInstanceLock({ dataDir, socketPath: "late.sock", patienceMs: 100 });
    await expect(refusal).rejects.toMatchObject({
      errorName: "ALREADY_RUNNING",
      data: { pid: null, socketPath: null },
    });
    expect(birth).not.toBe(left.birth);

    const waiting = acquireInstanceLock({ dataDir, socketPath: "late.sock" });
    writeFileSync(file, JSON.stringify(lock.info));
    await expect(waiting).rejects.toMatchObject({ data: { pid: process.pid, socketPath: "next.sock" } });
    lock.release();
  },
);

test.each(["", "{", "null", '{"pid":"x"}', "[]"])("a description %j says nothing about a holder", (text) => {
  writeFileSync(path.join(dataDir, "daemon.json"), text);
  expect(readInstanceInfo(dataDir)).toBeNull();
});
