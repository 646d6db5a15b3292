import { expect, test } from "vitest";
import { createLifecycle } from "../../daemon/runtime/lifecycle.ts";

test("what was opened last is closed first, each after the one before has ended", async () => {
  const lifecycle = createLifecycle();
  const log: string[] = [];
  for (const name of ["catalogue", "registry", "socket"]) {
    lifecycle.defer(name, async () => {
      log.push(`${name} closes`);
      await new Promise((resolve) => setTimeout(resolve, 1));
      log.push(`${name} closed`);
    });
  }
  expect(await lifecycle.close(5_000)).toEqual({ failed: [], timedOut: [] });
  expect(log).toEqual([
    "socket closes",
    "socket closed",
    "registry closes",
    "registry closed",
    "catalogue closes",
    "catalogue closed",
  ]);
});

test("closing happens once: a second call gets the first one's report", async () => {
  const lifecycle = createLifecycle();
  let closed = 0;
  lifecycle.defer("counter", () => void closed++);
  const reports = await Promise.all([lifecycle.close(1_000), lifecycle.close(1_000)]);
  expect(closed).toBe(1);
  expect(reports[0]).toBe(reports[1]);
});

test("one that throws, rejects or hangs is reported, and stops no other", async () => {
  const lifecycle = createLifecycle();
  const closed: string[] = [];
  const broken = new Error("broken");
  lifecycle.defer("first", () => void closed.push("first"));
  lifecycle.defer("throws", () => {
    throw broken;
  });
  lifecycle.defer("hangs", () => new Promise(() => undefined));
  lifecycle.defer("rejects", () => Promise.reject(broken));
  lifecycle.defer("last", () => void closed.push("last"));
  expect(await lifecycle.close(60)).toEqual({
    failed: [
      { name: "rejects", error: broken },
      { name: "throws", error: broken },
    ],
    timedOut: ["hangs"],
  });
  expect(closed).toEqual(["last", "first"]);
});

test("P24 the deadline bounds the whole, and even then each is begun", async () => {
  const lifecycle = createLifecycle();
  const begun: number[] = [];
  for (let at = 0; at < 5; at++) {
    lifecycle.defer(String(at), () => {
      begun.push(at);
      return new Promise(() => undefined);
    });
  }
  expect((await lifecycle.close(20)).timedOut).toEqual(["4", "3", "2", "1", "0"]);
  expect(begun).toEqual([4, 3, 2, 1, 0]);
});

test("nothing can be opened any more once closing has begun", async () => {
  const lifecycle = createLifecycle();
  await lifecycle.close(10);
  expect(() => lifecycle.defer("late", () => undefined)).toThrow(/late was opened while/);
});
