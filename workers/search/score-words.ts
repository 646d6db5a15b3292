import type { UnitSet } from "./hidden-units.ts";
import { B, K1, type Norms, type Postings } from "./postings.ts";
import { createTopHeap } from "./top-heap.ts";
import type { LaneHit } from "./vector-lane.ts";

/** What is asked for, and how often the query says it. */
export interface Asked {
  readonly postings: Postings;
  readonly times: number;
}

export interface Scoring {
  readonly norms: Norms;
  /** Units in the index. */
  readonly units: number;
  readonly limit: number;
  /** Null takes any. */
  readonly accept: UnitSet | null;
  readonly isDeleted: (number: number) => boolean;
}

/** What FTS5 gives a word that stands in more than half of all units. */
const LEAST_IDF = 1e-6;

/** By unit number; all zero between two searches. */
let sums = new Float64Array(1024);

/** BM25 of all units that hold any of it, as FTS5 scores them: the best, best first; equal ones by number. */
export function scoreWords(asked: readonly Asked[], scoring: Scoring): LaneHit[] {
  const { norms, units, limit, accept, isDeleted } = scoring;
  if (sums.length < norms.words.length) sums = new Float64Array(norms.words.length);
  for (const { postings, times } of asked) {
    const frequency = postings.numbers.length;
    const idf = Math.max(LEAST_IDF, Math.log((units - frequency + 0.5) / (frequency + 0.5)));
    addUp(sums, postings, norms, times * idf * (K1 + 1));
  }
  const heap = createTopHeap(limit);
  let least = heap.least();
  for (const { postings } of asked) {
    const { numbers } = postings;
    for (let at = 0; at < numbers.length; at++) {
      const number = numbers[at]!;
      const score = sums[number]!;
      if (score === 0) continue;
      sums[number] = 0;
      if (score <= least || isDeleted(number) || accept?.has(number) === false) continue;
      heap.push(number, score);
      least = heap.least();
    }
  }
  return heap.sorted().map(({ row, score }) => ({ number: row, score }));
}

function addUp(
  into: Float64Array,
  { numbers, counts }: Postings,
  { words, average }: Norms,
  weight: number,
): void {
  const fixed = K1 * (1 - B);
  const each = (K1 * B) / average;
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at]!;
    const count = counts[at]!;
    into[number]! += (weight * count) / (count + fixed + each * words[number]!);
  }
}
