import { expect, test } from "vitest";
import { createSlicer } from "../../daemon/runtime/yielding.ts";

function spin(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end) Math.sqrt(end);
}

test("a slice is due when its time is used up, and yielding starts a new one", async () => {
  const slicer = createSlicer(50);
  expect(slicer.due()).toBe(false);
  spin(51);
  expect(slicer.due()).toBe(true);
  await slicer.yield();
  expect(slicer.due()).toBe(false);
});

test("pausing lets others have their turn only when the slice is due", async () => {
  const slicer = createSlicer(50);
  let turns = 0;
  setImmediate(() => turns++);
  await slicer.pause();
  expect(turns).toBe(0);
  spin(51);
  await slicer.pause();
  expect(turns).toBe(1);
});
