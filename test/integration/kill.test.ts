import { describe, expect, it } from "vitest";
import { killCycles } from "../support/kill-cycles.ts";

describe("a daemon that is killed", () => {
  it("P1 K4.6 goes on where it was: nothing that answered is lost, nothing is indexed twice, nothing needs a person", async () => {
    const seed = Date.now() % 1_000_000;
    const report = await killCycles({ cycles: 4, filesPerCycle: 60, withinMs: 600, seed });
    expect(report.files).toBe(240);
  }, 90_000);
});
