import { array, assert, integer, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createUuidV7 } from "../../daemon/storage/catalog/uuid-v7.ts";

const uuidV7 = z.uuid({ version: "v7" });

function millisecondsOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

describe("item ids", () => {
  it("K4 are UUIDs of version 7 that carry their time", () => {
    const now = 1_760_000_000_123;
    const next = createUuidV7(() => now);
    for (let n = 0; n < 200; n++) {
      const id = next();
      expect(uuidV7.safeParse(id).success).toBe(true);
      expect(millisecondsOf(id)).toBe(now);
    }
  });

  it("K4 grow without a repetition, within one millisecond and when the clock jumps back (P18)", () => {
    assert(
      property(array(integer({ min: -5_000, max: 5_000 }), { maxLength: 50 }), (jumps) => {
        let now = 1_760_000_000_000;
        const next = createUuidV7(() => now);
        let last = next();
        for (const jump of jumps) {
          now += jump;
          for (let n = 0; n < 5; n++) {
            const id = next();
            expect(id > last).toBe(true);
            last = id;
          }
        }
      }),
    );
  });

  it("K4 more than a millisecond can count run into the next one", () => {
    const next = createUuidV7(() => 1_000);
    const ids = Array.from({ length: 10_000 }, next);
    expect(ids).toEqual([...new Set(ids)].sort());
    expect(millisecondsOf(ids.at(-1) as string)).toBeGreaterThan(1_000);
  });
});
