import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { backoffMs } from "../../daemon/queue/backoff.ts";

const settings = { baseMs: 1000, maxMs: 60_000 };

describe("backoff", () => {
  it("doubles its step with each attempt until the longest wait", () => {
    const waits = [1, 2, 3, 4, 10, 1000].map((attempts) => backoffMs(attempts, settings, 1));
    expect(waits).toEqual([1000, 2000, 4000, 8000, 60_000, 60_000]);
  });

  it("stays between half of the step and the whole step, whatever the attempts and the dice", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e6 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (attempts, random) => {
          const step = backoffMs(attempts, settings, 1);
          const wait = backoffMs(attempts, settings, random);
          expect(wait).toBeGreaterThanOrEqual(step / 2);
          expect(wait).toBeLessThanOrEqual(step);
          expect(step).toBeLessThanOrEqual(settings.maxMs);
        },
      ),
    );
  });
});
