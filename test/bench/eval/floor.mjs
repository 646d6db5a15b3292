// The figures below which search must not fall: they stand in the repository beside the collections.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ownFolder } from "./collections.mjs";

const file = path.join(ownFolder, "floor.json");
export const floorModes = ["bm25", "hybrid"];
/** Hits of an answer: as many as people get who ask for no number. */
export const FLOOR_DEPTH = 10;
/** Rounding, and equal scores in another order, move a figure by less. */
const TOLERANCE = 0.01;

/** { reason, ndcg10: collection → mode → nDCG@10 } */
export function readFloor() {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { reason: "", ndcg10: {} };
}

/** `measured`: collection → { modes: mode → { means } }. What is below the floor, or is not measured, in words. */
export function belowFloor({ ndcg10 }, measured) {
  return Object.entries(ndcg10).flatMap(([name, modes]) =>
    Object.entries(modes).flatMap(([mode, least]) => {
      const now = measured[name]?.modes[mode]?.means.ndcg10;
      if (now !== undefined && now >= least - TOLERANCE) return [];
      return [`${name}, ${mode}: nDCG@10 is ${now?.toFixed(4) ?? "not measured"}, and was ${least}`];
    }),
  );
}

/** Writes down what was measured, with the reason why it changes, and says what it was before. */
export function updateFloor(measured, reason) {
  if (reason.trim() === "") throw new Error("--update-floor needs the reason why the figures change");
  const before = readFloor().ndcg10;
  const ndcg10 = {};
  process.stdout.write(`\nfloor: ${reason}\n`);
  for (const [name, { modes }] of Object.entries(measured)) {
    ndcg10[name] = {};
    for (const mode of floorModes) {
      const now = Number(modes[mode].means.ndcg10.toFixed(4));
      process.stdout.write(`  ${name}, ${mode}: ${before[name]?.[mode] ?? "none"} → ${now}\n`);
      ndcg10[name][mode] = now;
    }
  }
  writeFileSync(file, `${JSON.stringify({ reason, ndcg10 }, null, 2)}\n`);
}

export function reportFloor(measured) {
  const falls = belowFloor(readFloor(), measured);
  if (falls.length === 0) process.stdout.write("\nno figure is below the floor\n");
  for (const fall of falls) process.stdout.write(`\nbelow the floor: ${fall}\n`);
  return falls.length === 0;
}
