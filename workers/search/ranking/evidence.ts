import { countUpTo, type Run } from "../document-runs.ts";
import { B, K1 } from "../postings/postings.ts";
import { rarity } from "./score-words.ts";
import type { LaneHit } from "../vectors/vector-lane.ts";

/** A unit as the words rank it. */
export interface WordHit extends LaneHit {
  /** What it earns by itself; the score adds what its document does. */
  readonly own: number;
}

/** A word of the query, and where it stands. */
export interface Term {
  /** Units that hold it, ascending. */
  readonly numbers: ArrayLike<number>;
  /** How often the query says it. */
  readonly times: number;
}

export interface Evidence {
  readonly terms: readonly Term[];
  /** Units that hold all words of the query close together, ascending; none when the query is not short enough for that. */
  readonly close: ArrayLike<number>;
  /** So short a query means all of its words: a document that has them all gets more. */
  readonly meansAll: boolean;
  /** Units in the index, and units a document on average. */
  readonly units: number;
  readonly averageLength: number;
  readonly runOf: (number: number) => Run | null;
}

/**
 * tf / K of a word where it stands in one unit: said once or twice in a unit of average length. 0.4 to 1 measured alike.
 */
const ONCE = 0.7;
/**
 * What the document counts beside the unit. Over 5,322 files 0.3 finds 80 % of plain-language questions (70 % without)
 * and leaves the rest as it is; 0.2 to 0.6 measured alike, from 0.8 on sets of long documents lose.
 */
const SHARE = 0.3;
/** Bonus for all keywords, as a share of their weights: three rare words spread over a file are found 98 % (93 % without). */
const ALL = 0.4;

/**
 * Ranks units by themselves and by what their documents add. The best unit of each document speaks for it: it gets the
 * document's own BM25, over all its units, less what it earned itself. Where each document is one unit nothing changes,
 * but for words that stand close together: they count as one more word, as rare as their meeting is.
 */
export function withEvidence(hits: readonly LaneHit[], evidence: Evidence): WordHit[] {
  const closeness = rarity(evidence.close.length, evidence.units);
  const ranked = hits
    .map(({ number, score }) => ({ number, own: score + (has(evidence.close, number) ? closeness : 0) }))
    .sort((a, b) => b.own - a.own || a.number - b.number);
  const seen = new Set<number>();
  return ranked
    .map(({ number, own }) => {
      const run = evidence.runOf(number);
      if (!run || seen.has(run.start)) return { number, own, score: own };
      seen.add(run.start);
      return { number, own, score: own + documentAdds(number, run, evidence) };
    })
    .sort((a, b) => b.score - a.score || a.number - b.number);
}

function documentAdds(number: number, run: Run, { terms, meansAll, units, averageLength }: Evidence): number {
  // A single word has nothing to be pooled with: more of it speaks for longer documents alone.
  if (terms.length < 2) return 0;
  const length = 1 - B + (B * (run.end - run.start)) / averageLength;
  let added = 0;
  let weights = 0;
  let hasAll = true;
  for (const { numbers, times } of terms) {
    const weight = rarity(numbers.length, units);
    const held = countUpTo(numbers, run.end - 1) - countUpTo(numbers, run.start - 1);
    const itself = has(numbers, number) ? saturated(ONCE) : 0;
    added += times * weight * (K1 + 1) * (saturated((held * ONCE) / length) - itself);
    weights += weight;
    hasAll &&= held > 0;
  }
  return SHARE * added + (meansAll && hasAll ? ALL * weights : 0);
}

function saturated(frequency: number): number {
  return frequency / (frequency + 1);
}

function has(ascending: ArrayLike<number>, number: number): boolean {
  return ascending[countUpTo(ascending, number) - 1] === number;
}
