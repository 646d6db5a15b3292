// What the figures are held against.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { qualityFolder } from "./collections.mjs";

/** Least nDCG@10 by words alone. */
const lexicalBars = {
  cranfield: 0.371,
  cisi: 0.398,
  "claude-docs": 0.755,
  "fuzzer-code": 0.72,
  "xquad-en": 0.97,
  "xquad-zh": 0.965,
  "cmrc2018-dev": 0.985,
  "jsquad-valid": 0.944,
  "xquad-ru": 0.955,
};
/** Hybrid may lie this much under the better lane, and on these collections must lie this much above the words. */
const HYBRID_LOSS = 0.005;
const hybridGains = { cranfield: 0.01, cisi: 0.01 };
/** Least share of paraphrases that hybrid search answers at rank 1 to 3. */
export const PARAPHRASE_BAR = 0.85;

/** Least share of known items among the first ten, by kind of query, by words and hybrid. */
export const knownBars = {
  title: { bm25: 0.85, hybrid: 0.85 },
  rare: { bm25: 0.99, hybrid: 0.99 },
  phrase: { bm25: 0.92, hybrid: 0.92 },
  nl: { bm25: 0.7, hybrid: 0.8 },
};
/** The same of other programs on the same files and queries, as measured in November 2026. */
export const knownPeers = {
  "qmd 2.8.3": { title: 0.76, rare: 0.97, phrase: 0.77, nl: 0.28 },
  "Recoll 1.34": { title: 0.79, rare: 0.95, phrase: 0.81, nl: 0.25 },
  "fidx 0.1.2": { title: 0.81, rare: 1, phrase: 0.85, nl: 0.3 },
};

/** Least nDCG@10 of a mode; `means` holds what was measured of every mode of the collection. Null where there is none. */
export function barOf(collection, mode, means) {
  const words = means.bm25?.ndcg10;
  if (mode === "bm25") return lexicalBars[collection] ?? null;
  if (mode === "vector" || words === undefined) return null;
  const better = Math.max(words, means.vector?.ndcg10 ?? 0) - HYBRID_LOSS;
  return Math.max(better, words + (hybridGains[collection] ?? -HYBRID_LOSS));
}

/** The best nDCG@10 that was stored for a collection by another implementation; null where nothing is stored. */
export function storedBaseline(collection) {
  const file = path.join(qualityFolder, "expected.json");
  if (!existsSync(file)) return null;
  const designs = JSON.parse(readFileSync(file, "utf8"))[collection];
  const scores = Object.values(designs ?? {}).flatMap((design) => design.ndcg10 ?? []);
  return scores.length === 0 ? null : Math.max(...scores) / 100;
}
