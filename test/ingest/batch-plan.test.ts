import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planBatches } from "../../daemon/ingest/batch-plan.ts";

const limits = { files: 32, bytes: 262_144 };
const file = fc.record({
  priority: fc.constantFrom(10, 20),
  sizeBytes: fc.integer({ min: 0, max: 600_000 }),
});

describe("batch plan", () => {
  it("keeps every file once, within the limits, and never mixes priorities", () => {
    fc.assert(
      fc.property(fc.array(file, { maxLength: 200 }), (files) => {
        const batches = planBatches(files, limits);
        expect(new Set(batches.flat())).toEqual(new Set(files));
        expect(batches.flat()).toHaveLength(files.length);
        for (const batch of batches) {
          const bytes = batch.reduce((sum, one) => sum + one.sizeBytes, 0);
          expect(batch.length).toBeLessThanOrEqual(limits.files);
          expect(batch.length === 1 || bytes <= limits.bytes).toBe(true);
          expect(new Set(batch.map((one) => one.priority)).size).toBe(1);
        }
      }),
    );
  });

  it("puts what a person waits for before bulk work", () => {
    const batches = planBatches(
      [
        { priority: 20, sizeBytes: 1, name: "bulk" },
        { priority: 10, sizeBytes: 1, name: "saved" },
      ],
      limits,
    );
    expect(batches.map((batch) => batch.map((one) => one.name))).toEqual([["saved"], ["bulk"]]);
  });

  it("lets a file over the byte limit travel alone", () => {
    const batches = planBatches(
      [
        { priority: 20, sizeBytes: 9e9 },
        { priority: 20, sizeBytes: 1 },
      ],
      limits,
    );
    expect(batches.map((batch) => batch.length)).toEqual([1, 1]);
  });

  it("makes no batch of nothing", () => {
    expect(planBatches([], limits)).toEqual([]);
  });
});
