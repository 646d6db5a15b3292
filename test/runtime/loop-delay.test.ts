import { afterEach, expect, test } from "vitest";
import { openLoopDelay, type LoopDelay, type LoopDelayOptions } from "../../daemon/runtime/loop-delay.ts";

let delay: LoopDelay | undefined;
afterEach(() => delay?.close());

function open(options: LoopDelayOptions): LoopDelay {
  delay = openLoopDelay(options);
  return delay;
}

function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end) Math.sqrt(end);
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test("a loop that stood still shows in the maximum, and leaves the window again", async () => {
  const loop = open({ windowMs: 600 });
  await pause(50);
  block(300);
  await pause(50);
  const { maxMs, p50Ms } = loop.stats();
  expect(maxMs).toBeGreaterThan(200);
  expect(p50Ms).toBeLessThan(maxMs);
  while (loop.stats().maxMs > 200) await pause(50);
});

test("figures are there from the start", () => {
  expect(open({}).stats()).toEqual({ p50Ms: 0, p99Ms: 0, maxMs: 0 });
});
