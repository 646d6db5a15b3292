import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { HostFailure } from "../../daemon/runtime/host.ts";
import { openLog } from "../../daemon/runtime/log.ts";
import { openHost, type HostOptions } from "../../daemon/runtime/open-host.ts";
import type { WorkerTasks } from "../../workers/contract.ts";
import { isRunning, processEnd } from "../support/processes.ts";

interface ThreadTasks {
  ping: WorkerTasks["ping"];
  thread: { input: null; output: number };
  loop: { input: null; output: never };
  native: { input: null; output: never };
  exit: { input: null; output: never };
  reject: { input: null; output: never };
  leaveBomb: { input: null; output: string };
  sleep: { input: { ms: number }; output: number };
  unclonable: { input: null; output: never };
}

const threadEntry = new URL("../support/thread-fixture.mjs", import.meta.url).href;
const brokenEntry = new URL("../support/broken-thread-fixture.mjs", import.meta.url).href;
const deadlineMs = 20_000;
const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((host) => host.stop()));
});

function openPoolHost<
  Tasks extends { [K in keyof Tasks]: { input: unknown; output: unknown } } = ThreadTasks,
>(overrides: Partial<HostOptions> = {}) {
  const host = openHost<Tasks>({
    name: "worker host",
    entryUrl: new URL("../support/pool-host-fixture.mjs", import.meta.url),
    init: { threads: 2, entry: threadEntry },
    heapLimitMb: 128,
    memoryLimitBytes: 2 ** 30,
    idleExitMs: null,
    maxInFlight: 2,
    maxQueued: 100,
    log: openLog({ level: "silent" }),
    ...overrides,
  });
  open.push(host);
  return host;
}

const openWorkerHost = (init: unknown) =>
  openPoolHost<WorkerTasks>({ entryUrl: new URL("../../dist/workers/host.js", import.meta.url), init });

async function failure(promise: Promise<unknown>): Promise<HostFailure> {
  const thrown: unknown = await promise.catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(HostFailure);
  return thrown as HostFailure;
}

test("the worker host's threads load and answer from its own process", async () => {
  const host = openWorkerHost({ threads: 1 });
  const { pid } = await host.run("ping", {}, { deadlineMs });
  expect(pid).toBe(host.stats().pid);
  expect(pid).not.toBe(process.pid);
});

test("the worker host embeds with the model's files, and answers vectors as they are", async () => {
  const file = (name: string) => fileURLToPath(new URL(`../../workers/embed/model/${name}`, import.meta.url));
  const input = {
    modelPath: file("static-en-128.bin"),
    vocabularyPath: file("static-en-128.vocab.json"),
    texts: ["how do I rotate the keys", ""],
  };
  const { dimensions, vectors } = await openWorkerHost({ threads: 1 }).run("texts.embed", input, {
    deadlineMs,
  });
  expect(vectors).toBeInstanceOf(Float32Array);
  expect([dimensions, vectors.length]).toEqual([128, 256]);
  expect(Math.hypot(...vectors.subarray(0, 128))).toBeCloseTo(1, 5);
});

test("the worker host reads files: a good one is a document, a missing one says so and fails nothing else", async () => {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), "knowd-read-")));
  try {
    await writeFile(path.join(folder, "keys.md"), "# Keys\n\nRotate them in spring.\n");
    const files = ["keys.md", "missing.md"].map((name, key) => ({
      key,
      path: path.join(folder, name),
      root: folder,
      knownHash: null,
      knownParser: null,
      maxBytes: 1_000_000,
      materialId: `material-${key}`,
      relativePath: name,
      chunking: {
        chunkSize: 256,
        chunkOverlap: 0,
        strategy: "structured",
        separator: null,
        hard: false,
      } as const,
      snapshot: false,
    }));
    const { outcomes } = await openWorkerHost({ threads: 1 }).run("files.read", { files }, { deadlineMs });
    expect(outcomes[0]).toMatchObject({ kind: "document", key: 0, document: { title: "Keys" } });
    expect(outcomes[1]).toMatchObject({ kind: "failed", key: 1, failure: "gone" });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.each([{ threads: 0 }, { threads: "2" }, null])("the worker host refuses the init %j", async (init) => {
  expect((await failure(openWorkerHost(init).start())).message).toMatch(/needs a number of threads/);
});

test("a host whose parent dies while it still loads its code ends by itself", async () => {
  const loop = new URL("../../dist/workers/host-loop.js", import.meta.url).href;
  const child = `
    while (process.connected) await new Promise((resolve) => setTimeout(resolve, 5));
    const { serveHost } = await import(${JSON.stringify(loop)});
    serveHost({ run: async () => null });
    setInterval(() => undefined, 1_000);`;
  const parent = `
    import { spawn } from "node:child_process";
    const args = ["--input-type=module", "-e", ${JSON.stringify(child)}];
    const { pid } = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "ignore", "ipc"] });
    process.stdout.write(String(pid), () => process.kill(process.pid, "SIGKILL"));`;
  const run = spawn(process.execPath, ["--input-type=module", "-e", parent]);
  const [pid] = (await once(run.stdout, "data")) as [Buffer];
  await processEnd(Number(pid.toString()));
  expect(isRunning(Number(pid.toString()))).toBe(false);
});

test("an unknown task is that task's own failure", async () => {
  const host = openWorkerHost({ threads: 1 });
  const unknown = host.run("toString" as "ping", {}, { deadlineMs });
  expect(await failure(unknown)).toMatchObject({ kind: "task", message: "there is no task toString" });
});

test("a thread entry that can't be loaded fails the start with its reason", async () => {
  const host = openPoolHost({ init: { threads: 2, entry: brokenEntry } });
  const failed = await failure(host.start());
  expect(failed.kind).toBe("unavailable");
  expect(failed.message).toMatch(/this thread can't be loaded/);
});

test("tasks run on as many threads as were asked for, one a thread", async () => {
  const host = openPoolHost();
  await host.run("ping", {}, { deadlineMs });
  const both = await Promise.all([1, 2].map(() => host.run("sleep", { ms: 200 }, { deadlineMs })));
  expect(new Set(both).size).toBe(2);
});

test("P10 a loop ends with its thread at the deadline; its neighbour and its process go on", async () => {
  const host = openPoolHost();
  const { pid } = await host.run("ping", {}, { deadlineMs });
  const neighbour = host.run("sleep", { ms: 300 }, { deadlineMs });
  expect((await failure(host.run("loop", null, { deadlineMs: 100 }))).kind).toBe("deadline");
  await neighbour;
  expect(await host.run("ping", {}, { deadlineMs })).toEqual({ pid });
});

test("an abort ends the thread that runs the task, and a new one takes its place", async () => {
  const host = openPoolHost({ init: { threads: 1, entry: threadEntry }, maxInFlight: 1 });
  const before = await host.run("thread", null, { deadlineMs });
  const stop = new AbortController();
  const running = failure(host.run("loop", null, { deadlineMs, signal: stop.signal }));
  stop.abort();
  expect((await running).kind).toBe("cancelled");
  expect(await host.run("thread", null, { deadlineMs })).not.toBe(before);
});

test("P10 a thread stuck in native code costs the process its life, so that the core comes free", async () => {
  const host = openPoolHost();
  const { pid } = await host.run("ping", {}, { deadlineMs });
  expect((await failure(host.run("native", null, { deadlineMs: 50 }))).kind).toBe("deadline");
  while (host.stats().pid === pid) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await host.run("ping", {}, { deadlineMs })).not.toEqual({ pid });
});

test.each([
  ["exit", /exited with code: 3/],
  ["reject", /thrown where nobody catches/],
  ["unclonable", /can't be sent/],
] as const)("P10 a thread that dies in %s takes only its own task with it", async (task, message) => {
  const host = openPoolHost();
  const { pid } = await host.run("ping", {}, { deadlineMs });
  const neighbour = host.run("sleep", { ms: 200 }, { deadlineMs });
  const failed = await failure(host.run(task, null, { deadlineMs }));
  expect([failed.kind, failed.taskErrorName]).toEqual(["crashed", "THREAD_CRASHED"]);
  expect(failed.message).toMatch(message);
  await neighbour;
  expect(await host.run("ping", {}, { deadlineMs })).toEqual({ pid });
});

test("P11 what a task leaves behind blows up in its own time and blames no task that comes after a pause", async () => {
  const host = openPoolHost({ init: { threads: 1, entry: threadEntry }, maxInFlight: 1 });
  for (let round = 0; round < 5; round++) {
    const before = await host.run("thread", null, { deadlineMs });
    expect(await host.run("leaveBomb", null, { deadlineMs })).toBe("fine");
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(await host.run("thread", null, { deadlineMs })).not.toBe(before);
  }
});

test("P11 a task that crashes for what another left behind is innocent when it runs alone", async () => {
  const host = openPoolHost({ init: { threads: 1, entry: threadEntry }, maxInFlight: 1 });
  await host.run("leaveBomb", null, { deadlineMs });
  const suspect = await failure(host.run("sleep", { ms: 200 }, { deadlineMs }));
  expect(suspect.kind).toBe("crashed");
  expect(await host.run("sleep", { ms: 20 }, { deadlineMs, alone: true })).toEqual(expect.any(Number));
});
