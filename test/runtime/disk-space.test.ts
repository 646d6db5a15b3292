import { expect, it } from "vitest";
import { openDiskSpace } from "../../daemon/runtime/disk-space.ts";

const MIB = 2 ** 20;

function diskOf(totalMiB: number) {
  const at = { free: totalMiB * MIB, now: 0 };
  const told: string[] = [];
  const tell = (_: unknown, text?: string): void => void told.push(text ?? "");
  const disk = openDiskSpace({
    folder: "/data",
    log: { warn: tell, info: tell } as never,
    clock: () => at.now,
    measure: () => ({ free: at.free, total: totalMiB * MIB }),
  });
  return { at, disk, told };
}

it.each([
  ["a tenth of a small disk", 24, 3, 2],
  ["256 MB of a middling one", 10_000, 257, 255],
  ["one percent of a large one", 1_000_000, 10_001, 9999],
])("P4 keeps %s free", (_, totalMiB, enough, tooLittle) => {
  const { at, disk, told } = diskOf(totalMiB);
  at.free = enough * MIB;
  expect(disk.shortage()).toBeNull();
  at.free = tooLittle * MIB;
  expect(disk.shortage()).toBeNull();
  at.now += 1000;
  expect(disk.shortage()).toContain("the disk of /data is full");
  at.free = enough * MIB;
  at.now += 1000;
  expect(disk.shortage()).toBeNull();
  // Said once when it begins, once when it is over.
  expect(told).toHaveLength(2);
});

it("P4 believes a refusal more than the numbers, for a while", () => {
  const { at, disk } = diskOf(1000);
  disk.refused();
  expect(disk.shortage()).not.toBeNull();
  at.now += 4_000;
  expect(disk.shortage()).not.toBeNull();
  at.now += 2_000;
  expect(disk.shortage()).toBeNull();
});
