// The figures below which search must not fall: they stand in the repository beside the collections.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ownFolder, ownNames } from "./collections.mjs";

const file = path.join(ownFolder, "floor.json");
const modes = ["bm25", "hybrid"];

/** Writes nDCG@10 of all own collections down, with the reason why, and says what each was before. */
export function updateFloor(measured, reason) {
  if (reason.trim() === "") throw new Error("--update-floor needs the reason why the figures change");
  const missing = ownNames().filter((name) => modes.some((mode) => !measured[name]?.modes[mode]));
  if (missing.length > 0) throw new Error(`the floor needs bm25 and hybrid of: ${missing.join(", ")}`);
  const before = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).ndcg10 : {};
  const ndcg10 = {};
  process.stdout.write(`\nfloor: ${reason}\n`);
  for (const name of ownNames()) {
    ndcg10[name] = {};
    for (const mode of modes) {
      const now = Number(measured[name].modes[mode].means.ndcg10.toFixed(4));
      process.stdout.write(`  ${name} ${mode}: ${before[name]?.[mode] ?? "none"} → ${now}\n`);
      ndcg10[name][mode] = now;
    }
  }
  writeFileSync(file, `${JSON.stringify({ reason, ndcg10 }, null, 2)}\n`);
}
