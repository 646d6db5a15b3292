import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createKeyedMutex } from "../../daemon/runtime/keyed-mutex.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("calls with one key run one at a time, in the order of the calls; keys don't wait for one another", async () => {
  const call = fc.record({ key: fc.constantFrom("a", "b", "c"), turns: fc.nat(3), fails: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 20 }), async (calls) => {
      const mutex = createKeyedMutex();
      const order: Record<string, number[]> = { a: [], b: [], c: [] };
      const held = new Set<string>();
      const results = await Promise.allSettled(
        calls.map(({ key, turns, fails }, at) =>
          mutex.runExclusive(key, async () => {
            expect(held.has(key)).toBe(false);
            held.add(key);
            order[key]?.push(at);
            for (let left = turns; left > 0; left--) await turn();
            held.delete(key);
            if (fails) throw new Error("failed");
            return at;
          }),
        ),
      );
      for (const [key, found] of Object.entries(order))
        expect(found).toEqual(calls.flatMap((call, at) => (call.key === key ? [at] : [])));
      expect(results.map(({ status }) => status === "rejected")).toEqual(calls.map(({ fails }) => fails));
    }),
    { numRuns: 60 },
  );
});

test("two keys are held at once", async () => {
  const mutex = createKeyedMutex();
  let release: () => void = () => undefined;
  const held = mutex.runExclusive("a", () => new Promise<void>((resolve) => (release = resolve)));
  expect(await mutex.runExclusive("b", () => "free")).toBe("free");
  release();
  await held;
});

test("an abort before its turn rejects at once with the signal's reason, and the function never runs", async () => {
  const mutex = createKeyedMutex();
  const stop = new AbortController();
  let release: () => void = () => undefined;
  let ran = false;
  const first = mutex.runExclusive("a", () => new Promise<void>((resolve) => (release = resolve)));
  const second = mutex.runExclusive("a", () => (ran = true), { signal: stop.signal });
  const third = mutex.runExclusive("a", () => "third");
  const reason = new Error("no longer wanted");
  stop.abort(reason);
  await expect(second).rejects.toBe(reason);
  release();
  expect(await third).toBe("third");
  await first;
  expect(ran).toBe(false);
});

test("an abort after its turn began is the function's own affair", async () => {
  const mutex = createKeyedMutex();
  const stop = new AbortController();
  const running = mutex.runExclusive(
    "a",
    async () => {
      stop.abort(new Error("too late"));
      await turn();
      return "done";
    },
    { signal: stop.signal },
  );
  expect(await running).toBe("done");
});

test("a key is settled when nothing holds or waits for it", async () => {
  const mutex = createKeyedMutex();
  const done: number[] = [];
  for (let at = 0; at < 3; at++)
    void mutex.runExclusive("a", async () => {
      await turn();
      done.push(at);
    });
  await mutex.settled("a");
  expect(done).toEqual([0, 1, 2]);
  await mutex.settled("never used");
});

test("a call whose signal has aborted before rejects at once, though the key is held for long", async () => {
  const mutex = createKeyedMutex();
  let release: () => void = () => undefined;
  const held = mutex.runExclusive("a", () => new Promise<void>((resolve) => (release = resolve)));
  const reason = new Error("no longer wanted");
  const signal = AbortSignal.abort(reason);
  let ran = false;
  const late = mutex.runExclusive("a", () => (ran = true), { signal });
  await expect(late).rejects.toBe(reason);
  release();
  await held;
  await mutex.settled("a");
  expect(ran).toBe(false);
});
