import { expect, it } from "vitest";
import { killCycles } from "../support/kill-cycles.ts";

it("P1 fifty kills during ingest lose nothing and leave nothing to repair", async () => {
  const seed = Number(process.env["SOAK_SEED"] ?? Date.now() % 1_000_000);
  const report = await killCycles({ cycles: 50, filesPerCycle: 100, withinMs: 600, seed });
  process.stdout.write(
    `seed ${seed}: ${report.cycles} kills, ${report.files} files, ${report.acknowledged} acknowledged and present\n`,
  );
  expect(report.cycles).toBe(50);
});
