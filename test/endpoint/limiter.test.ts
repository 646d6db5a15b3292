import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planBatches } from "../../daemon/embedding/batches.ts";
import { createLimiter, type Limiter } from "../../daemon/endpoint/limiter.ts";
import { parseRetryAfter } from "../../daemon/runtime/retry-after.ts";

const never = new AbortController().signal;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Tasks that end when they are told to. */
function station(limiter: Limiter) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    begin: (name: string, urgent = false, signal = never) =>
      limiter.run(
        () =>
          new Promise<void>((resolve) => {
            begun.push(name);
            ends.set(name, resolve);
          }),
        { signal, urgent },
      ),
    end: async (name: string) => {
      ends.get(name)!();
      await turn();
    },
  };
}

describe("the limiter", () => {
  it("runs as many as it may, the rest in order, urgent ones first", async () => {
    const { begun, begin, end } = station(createLimiter({ maxConcurrent: 2, now: () => 0 }));
    const all = [begin("a"), begin("b"), begin("c"), begin("d"), begin("q", true)];
    await turn();
    expect(begun).toEqual(["a", "b"]);
    for (const name of ["b", "a", "q", "c", "d"]) await end(name);
    await Promise.all(all);
    expect(begun).toEqual(["a", "b", "q", "c", "d"]);
  });

  it("lets one leave who no longer wants its turn, and gives a failed one's place on", async () => {
    const limiter = createLimiter({ maxConcurrent: 1, now: () => 0 });
    const { begin, end, begun } = station(limiter);
    const a = begin("a");
    const leaving = new AbortController();
    const b = begin("b", false, leaving.signal);
    const failing = limiter.run(() => Promise.reject(new Error("failed")), { signal: never, urgent: false });
    const failed = failing.catch((error: unknown) => error);
    const c = begin("c");
    leaving.abort(new Error("left"));
    await expect(b).rejects.toThrow("left");
    await end("a");
    expect(await failed).toEqual(new Error("failed"));
    await turn();
    await end("c");
    await Promise.all([a, c]);
    expect(begun).toEqual(["a", "c"]);
  });

  it("starts nothing during a pause, half as much after it, and more again with each success", async () => {
    let now = 0;
    const limiter = createLimiter({ maxConcurrent: 4, now: () => now });
    limiter.slowDown(30);
    limiter.slowDown(20);
    expect(limiter.pausedMs()).toBe(30);
    const { begun, begin, end } = station(limiter);
    const all = ["a", "b", "c", "d", "e", "f", "g"].map((name) => begin(name));
    await turn();
    expect(begun).toEqual([]);
    now = 30;
    while (begun.length === 0) await turn();
    expect(begun).toEqual(["a", "b"]);
    await end("a");
    await end("b");
    expect(begun).toEqual(["a", "b", "c", "d"]);
    for (const name of ["c", "d", "e", "f", "g"]) await end(name);
    await Promise.all(all);
  });
});

describe("Retry-After", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  it.each([
    [null, null],
    ["", null],
    ["soon", null],
    ["7", 7000],
    [" 0.5 ", 500],
    ["Thu, 01 Jan 2026 00:00:30 GMT", 30_000],
    ["Wed, 31 Dec 2025 23:00:00 GMT", 0],
    ["999999999", 86_400_000],
  ])("%j is %j milliseconds", (header, expected) => {
    expect(parseRetryAfter(header, now)).toBe(expected);
  });
});

describe("batches", () => {
  it("hold every text once, in order, within both bounds unless a text alone is too long", () => {
    const lengths = fc.array(fc.nat(50), { maxLength: 60 });
    fc.assert(
      fc.property(
        lengths,
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 60 }),
        (all, texts, characters) => {
          const items = all.map((length) => ({ text: "x".repeat(length) }));
          const batches = planBatches(items, { texts, characters });
          expect(batches.flat()).toEqual(items);
          for (const batch of batches) {
            expect(batch.length).toBeGreaterThan(0);
            expect(batch.length).toBeLessThanOrEqual(texts);
            const sum = batch.reduce((total, { text }) => total + text.length, 0);
            expect(batch.length === 1 || sum <= characters).toBe(true);
          }
        },
      ),
    );
  });
});
