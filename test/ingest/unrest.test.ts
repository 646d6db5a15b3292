import { describe, expect, it } from "vitest";
import { createUnrest } from "../../daemon/ingest/unrest.ts";

const REST_MS = 200;

/** Writes to a file every 100 ms; answers when it was found overdue, in milliseconds from the first write. */
function overdueTimes(unrest: ReturnType<typeof createUnrest>, id: string, forMs: number): number[] {
  const found: number[] = [];
  for (let now = 0; now <= forMs; now += 100) if (unrest.isOverdue(id, now, REST_MS)) found.push(now);
  return found;
}

describe("a file that is written to without a pause", () => {
  it("is read as it is after 25 times its rest, and again after as long", () => {
    expect(overdueTimes(createUnrest(), "log", 11_000)).toEqual([5100, 10_200]);
  });

  it("begins anew after a rest, and when the clock was set back", () => {
    const unrest = createUnrest();
    expect(overdueTimes(unrest, "log", 4000)).toEqual([]);
    expect(unrest.isOverdue("log", 9000, REST_MS)).toBe(false);
    expect(unrest.isOverdue("log", 9100, REST_MS)).toBe(false);
    expect(unrest.isOverdue("log", 100, REST_MS)).toBe(false);
  });

  it("is still known among the many files of a first scan", () => {
    const unrest = createUnrest();
    const found: number[] = [];
    for (let now = 0; now <= 5200; now += 100) {
      for (let n = 0; n < 500; n++) unrest.isOverdue(`scanned ${now} ${n}`, now, REST_MS);
      if (unrest.isOverdue("log", now, REST_MS)) found.push(now);
    }
    expect(found).toEqual([5100]);
  });
});
