import { afterEach, describe, expect, test } from "vitest";
import { HostFailure } from "../../daemon/runtime/host.ts";
import { openLog } from "../../daemon/runtime/log.ts";
import { openHost, type HostOptions } from "../../daemon/runtime/open-host.ts";
import { isRunning, processEnd } from "../support/processes.ts";

interface FixtureTasks {
  echo: { input: unknown; output: unknown };
  pid: { input: null; output: number };
  served: { input: null; output: number };
  block: { input: null; output: never };
  wait: { input: null; output: never };
  deaf: { input: null; output: never };
  sleep: { input: { ms: number }; output: number };
  exit: { input: { code: number; words: string }; output: never };
  uncaught: { input: { message: string }; output: never };
  answerThenDie: { input: unknown; output: unknown };
  heap: { input: null; output: never };
  buffers: { input: { megabytes: number }; output: number };
  named: { input: null; output: never };
  plain: { input: null; output: never };
  unclonable: { input: null; output: never };
}

const deadlineMs = 20_000;
const open: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((host) => host.stop()));
});

function fixtureHost(overrides: Partial<HostOptions> = {}) {
  const host = openHost<FixtureTasks>({
    name: "fixture",
    entryUrl: new URL("../support/host-fixture.mjs", import.meta.url),
    init: null,
    heapLimitMb: 64,
    memoryLimitBytes: 2 ** 30,
    idleExitMs: null,
    maxInFlight: 4,
    maxQueued: 4,
    cancelGraceMs: 100,
    log: openLog({ level: "silent" }),
    ...overrides,
  });
  open.push(host);
  return host;
}

/** The HostFailure that a promise rejects with. */
async function failure(promise: Promise<unknown>): Promise<HostFailure> {
  const thrown: unknown = await promise.then(
    (output) => new Error(`resolved with ${JSON.stringify(output)}`),
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(HostFailure);
  return thrown as HostFailure;
}

describe("tasks", () => {
  test("what structured clone can carry goes there and back", async () => {
    const input = {
      vectors: new Float32Array([0.5, -1]),
      map: new Map([["a", 1n]]),
      text: "ж\u0000",
      none: null,
    };
    expect(await fixtureHost().run("echo", input, { deadlineMs })).toEqual(input);
  });

  test("many tasks at once keep their answers apart, and no more are in flight than allowed", async () => {
    const host = fixtureHost({ maxInFlight: 3, maxQueued: 100 });
    const numbers = Array.from({ length: 60 }, (_unused, at) => at);
    const answers = Promise.all(numbers.map((at) => host.run("echo", at, { deadlineMs })));
    await host.start();
    expect(host.stats().inFlight).toBe(3);
    expect(await answers).toEqual(numbers);
  });

  test("the task beyond the bounded queue is refused with `full`, and room comes back", async () => {
    const host = fixtureHost({ maxInFlight: 1, maxQueued: 1 });
    const taken = [1, 2].map((at) => host.run("echo", at, { deadlineMs }));
    expect((await failure(host.run("echo", 3, { deadlineMs }))).kind).toBe("full");
    expect(await Promise.all(taken)).toEqual([1, 2]);
    expect(await host.run("echo", 4, { deadlineMs })).toBe(4);
  });

  test.each([
    ["named", "PATTERN_INVALID", /unclosed group/],
    ["plain", "TASK_FAILED", /a plain object/],
    ["unclonable", "TASK_FAILED", /could not be cloned/],
  ] as const)(
    "what the task %s throws arrives with its name, and the child lives on",
    async (task, name, message) => {
      const host = fixtureHost();
      const failed = await failure(host.run(task, null, { deadlineMs }));
      expect([failed.kind, failed.taskErrorName]).toEqual(["task", name]);
      expect(failed.message).toMatch(message);
      expect(host.stats().restarts).toBe(0);
    },
  );

  test("an input that can't be cloned fails that task alone", async () => {
    const host = fixtureHost();
    await host.start();
    const failed = await failure(host.run("echo", () => undefined, { deadlineMs }));
    expect(failed.kind).toBe("task");
    expect(await host.run("echo", 1, { deadlineMs })).toBe(1);
  });
});

describe("deadlines and cancelling", () => {
  test("a task that gives up when its deadline passes fails with `deadline`, and the child lives on", async () => {
    const host = fixtureHost();
    const pid = await host.run("pid", null, { deadlineMs });
    expect((await failure(host.run("wait", null, { deadlineMs: 50 }))).kind).toBe("deadline");
    expect(await host.run("pid", null, { deadlineMs })).toBe(pid);
  });

  test("P15 a task that blocks the child is killed at its deadline; the others in flight are suspects", async () => {
    const host = fixtureHost();
    await host.start();
    const beside = failure(host.run("deaf", null, { deadlineMs }));
    const blocked = failure(host.run("block", null, { deadlineMs: 50 }));
    const failures = await Promise.all([blocked, beside]);
    expect(failures.map(({ kind }) => kind)).toEqual(["deadline", "crashed"]);
    expect(failures[1]?.message).toMatch(/block passed its deadline of 50 ms/);
    expect(await host.run("echo", 1, { deadlineMs })).toBe(1);
  });

  test("a deadline is counted from dispatch: waiting in the queue costs a task nothing", async () => {
    const host = fixtureHost({ maxInFlight: 1 });
    const first = host.run("sleep", { ms: 400 }, { deadlineMs });
    expect(await host.run("echo", "late", { deadlineMs: 250 })).toBe("late");
    expect(await first).toBe(400);
  });

  test("an abort rejects with `cancelled` at once, in flight and in the queue", async () => {
    const host = fixtureHost({ maxInFlight: 1 });
    const pid = await host.run("pid", null, { deadlineMs });
    const stop = new AbortController();
    const running = failure(host.run("wait", null, { deadlineMs, signal: stop.signal }));
    const waiting = failure(host.run("echo", 1, { deadlineMs, signal: stop.signal }));
    stop.abort();
    const late = failure(host.run("echo", 2, { deadlineMs, signal: stop.signal }));
    const kinds = (await Promise.all([running, waiting, late])).map(({ kind }) => kind);
    expect(kinds).toEqual(["cancelled", "cancelled", "cancelled"]);
    expect(await host.run("pid", null, { deadlineMs })).toBe(pid);
  });

  test("a cancelled task that does not let go costs the child its life, not the slot for ever", async () => {
    const host = fixtureHost({ maxInFlight: 1 });
    const pid = await host.run("pid", null, { deadlineMs });
    const stop = new AbortController();
    const running = failure(host.run("block", null, { deadlineMs, signal: stop.signal }));
    stop.abort();
    expect((await running).kind).toBe("cancelled");
    expect(await host.run("pid", null, { deadlineMs })).not.toBe(pid);
  });
});

describe("crashes", () => {
  test("P10 a crash rejects all that was in flight with its reason, and the host serves again", async () => {
    const host = fixtureHost();
    await host.start();
    const beside = failure(host.run("deaf", null, { deadlineMs }));
    const culprit = failure(host.run("uncaught", { message: "no such page" }, { deadlineMs }));
    for (const failed of await Promise.all([beside, culprit])) {
      expect(failed.kind).toBe("crashed");
      expect(failed.message).toBe("fixture ended with exit code 1: TypeError: no such page");
    }
    expect(await host.run("echo", "again", { deadlineMs })).toBe("again");
    expect(host.stats()).toMatchObject({ state: "ready", restarts: 1 });
  });

  test("tasks that only waited for a slot are not lost with the child", async () => {
    const host = fixtureHost({ maxInFlight: 1 });
    const culprit = failure(host.run("exit", { code: 7, words: "bye" }, { deadlineMs }));
    const waiting = host.run("echo", 1, { deadlineMs });
    expect((await culprit).message).toBe("fixture ended with exit code 7: bye");
    expect(await waiting).toBe(1);
  });

  test("P11 an answer that was sent before the crash counts", async () => {
    const host = fixtureHost();
    for (let at = 0; at < 3; at++) {
      const pid = await host.run("pid", null, { deadlineMs });
      expect(await host.run("answerThenDie", at, { deadlineMs })).toBe(at);
      while (host.stats().pid === pid) await new Promise((resolve) => setTimeout(resolve, 5));
    }
  });

  test("P10 a heap that blows up ends the child alone", async () => {
    const host = fixtureHost();
    const failed = await failure(host.run("heap", null, { deadlineMs }));
    expect(failed.kind).toBe("crashed");
    expect(failed.message).toMatch(/heap out of memory/);
    expect(await host.run("echo", 1, { deadlineMs })).toBe(1);
  });

  test("P11 a task that runs alone gets a child that has done nothing before, and nobody beside it", async () => {
    const host = fixtureHost({ maxQueued: 20 });
    await host.run("echo", 0, { deadlineMs });
    const before = [1, 2].map(() => host.run("sleep", { ms: 30 }, { deadlineMs }));
    const alone = host.run("served", null, { deadlineMs, alone: true });
    const doomed = failure(host.run("exit", { code: 1, words: "mine" }, { deadlineMs, alone: true }));
    const after = host.run("echo", "after", { deadlineMs });
    expect(await alone).toBe(0);
    expect((await doomed).kind).toBe("crashed");
    expect(await after).toBe("after");
    expect(await Promise.all(before)).toEqual([30, 30]);
  });
});

describe("memory", () => {
  test("P10 a child far above its limit is killed at once, with a message that names memory", async () => {
    const host = fixtureHost({ memoryLimitBytes: 150 * 2 ** 20 });
    const failed = await failure(host.run("buffers", { megabytes: 4_096 }, { deadlineMs }));
    expect(failed.kind).toBe("crashed");
    expect(failed.message).toMatch(/took \d+ MB of memory, its limit is 150 MB/);
  });

  test("a child that has grown over its limit is replaced when its tasks are done", async () => {
    const host = fixtureHost({ memoryLimitBytes: 160 * 2 ** 20 });
    const pid = await host.run("pid", null, { deadlineMs });
    expect(await host.run("buffers", { megabytes: 128 }, { deadlineMs })).toBe(8);
    await processEnd(pid);
    expect(await host.run("pid", null, { deadlineMs })).not.toBe(pid);
    expect(host.stats().restarts).toBe(0);
  });
});

describe("starting and stopping", () => {
  test.each([
    ["says so", { init: { fail: "the model is missing" } }, "the model is missing"],
    ["hangs", { init: { hang: true }, startDeadlineMs: 300 }, "fixture did not get ready in 300 ms"],
    [
      "throws while it loads",
      { entryUrl: new URL("../support/broken-host-fixture.mjs", import.meta.url) },
      "fixture ended with exit code 1: RangeError: the entry can't be loaded",
    ],
  ])("a host that %s fails its start with a clear message", async (_title, overrides, message) => {
    const host = fixtureHost(overrides);
    const failed = await failure(host.start());
    expect([failed.kind, failed.message]).toEqual(["unavailable", message]);
    expect(host.stats()).toMatchObject({ state: "failed", reason: message, pid: null });
  });

  test("tasks of a host that can't start are refused as `unavailable`, and later ones try it again", async () => {
    const host = fixtureHost({ init: { fail: "no" }, restartBackoff: { firstMs: 50, maxMs: 50 } });
    const kinds = await Promise.all(
      [1, 2].map(async (at) => (await failure(host.run("echo", at, { deadlineMs }))).kind),
    );
    expect(kinds).toEqual(["unavailable", "unavailable"]);
    expect((await failure(host.run("echo", 3, { deadlineMs }))).message).toBe("no");
    expect(host.stats().restarts).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect((await failure(host.run("echo", 4, { deadlineMs }))).message).toBe("no");
    expect(host.stats().restarts).toBe(2);
  });

  test("an idle child exits, and the next task starts another", async () => {
    const host = fixtureHost({ idleExitMs: 20 });
    const pid = await host.run("pid", null, { deadlineMs });
    await processEnd(pid);
    expect(host.stats()).toMatchObject({ state: "stopped", pid: null, restarts: 0 });
    expect(await host.run("pid", null, { deadlineMs })).not.toBe(pid);
  });

  test("nothing is spawned before the first task", () => {
    expect(fixtureHost().stats()).toMatchObject({ state: "stopped", pid: null });
  });

  test("P24 stopping ends a blocked child too; what was in flight or waits is told `stopped`", async () => {
    const host = fixtureHost({ maxInFlight: 1 });
    const pid = await host.run("pid", null, { deadlineMs });
    const running = failure(host.run("block", null, { deadlineMs }));
    const waiting = failure(host.run("echo", 1, { deadlineMs }));
    await host.stop(50);
    expect((await Promise.all([running, waiting])).map(({ kind }) => kind)).toEqual(["stopped", "stopped"]);
    expect(isRunning(pid)).toBe(false);
    expect((await failure(host.run("echo", 2, { deadlineMs }))).kind).toBe("stopped");
    expect((await failure(host.start())).kind).toBe("stopped");
  });

  test("a host may be stopped while it starts", async () => {
    const host = fixtureHost({ init: { hang: true } });
    const starting = failure(host.start());
    await host.stop(50);
    expect((await starting).kind).toBe("stopped");
    expect(host.stats().pid).toBeNull();
  });
});
