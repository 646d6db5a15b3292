// A run's figures in a file, so that the next run says what has changed.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "../support.mjs";
import { compareQueries } from "./metrics.mjs";

const VERSION = 1;
/** Smaller differences are not worth a line. */
const LEAST_DIFFERENCE = 0.001;

/** { version, collections: name → { at, commit, engine, counts, modes: mode → { means, latencyMs, queries: id → score } } } */
export function readResults(file) {
  if (!existsSync(file)) return null;
  let results = null;
  try {
    results = JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new Error(`${file} is no JSON: name another file, or remove it`, { cause });
  }
  if (results?.version === VERSION) return results;
  throw new Error(`${file} was not written by this version of eval: name another file, or remove it`);
}

/** When figures were measured and of which commit; null outside a repository. */
export function stamp() {
  const commit = spawnSync("git", ["rev-parse", "--short", "HEAD"], { cwd: root, encoding: "utf8" });
  return {
    at: new Date().toISOString(),
    commit: commit.status === 0 ? commit.stdout.trim() : null,
  };
}

/** Collections that were not measured this time keep their last figures. */
export function writeResults(file, before, measured) {
  const collections = { ...before?.collections, ...measured };
  mkdirSync(path.dirname(path.resolve(file)), { recursive: true });
  // A run that is broken off while it writes must not leave half a file.
  writeFileSync(`${file}.part`, `${JSON.stringify({ version: VERSION, collections }, null, 1)}\n`);
  renameSync(`${file}.part`, file);
}

/** Rows [collection, mode, before, now, difference, better, worse, p] of nDCG@10 that differs, where both runs asked the same. */
export function changesSince(before, measured) {
  const rows = [];
  for (const [name, { engine, modes }] of Object.entries(measured)) {
    const last = before.collections[name];
    if (!last || last.engine !== engine) continue;
    for (const [mode, { means, queries }] of Object.entries(modes)) {
      const old = last.modes[mode];
      const ids = Object.keys(queries);
      if (!old || ids.length !== Object.keys(old.queries).length || !ids.every((id) => id in old.queries))
        continue;
      const scores = (of) => ids.map((id) => of[id].ndcg10);
      const { difference, better, worse, p } = compareQueries(scores(old.queries), scores(queries));
      if (Math.abs(difference) <= LEAST_DIFFERENCE) continue;
      const signed = `${difference > 0 ? "+" : ""}${difference.toFixed(4)}`;
      rows.push([
        name,
        mode,
        old.means.ndcg10.toFixed(4),
        means.ndcg10.toFixed(4),
        signed,
        better,
        worse,
        p.toFixed(4),
      ]);
    }
  }
  return rows;
}
