import type { TermCounts } from "./terms.ts";

/** Texts as rows of weighted terms, each row of length one; only what is not zero is kept. */
export interface TermMatrix {
  /** Row → term. */
  readonly terms: readonly string[];
  /** idf, one a term. */
  readonly weights: Float32Array;
  readonly texts: {
    /** Text t has the entries from starts[t] up to starts[t + 1]. */
    readonly starts: Uint32Array;
    readonly terms: Uint32Array;
    readonly values: Float32Array;
  };
}

/** A term of a single text has no company. Three measured .03 to .12 worse on Chinese and Japanese. */
const LEAST_TEXTS = 2;
/** What stands in more than this share of the texts tells nothing; a tenth measured .05 to .08 worse on English. */
const MOST_SHARE = 0.5;

/** log tf × idf over the terms that tell something, the most frequent `maxTerms` of them. */
export function weighTexts(texts: readonly TermCounts[], maxTerms: number): TermMatrix {
  const kept = chooseTerms(texts, maxTerms);
  const rows = new Map(kept.map(([term], row) => [term, row]));
  const weights = Float32Array.from(kept, ([, found]) => Math.log((texts.length + 1) / (found + 0.5)));
  const starts = new Uint32Array(texts.length + 1);
  let entries = 0;
  texts.forEach((counts, at) => {
    for (const term of counts.keys()) if (rows.has(term)) entries++;
    starts[at + 1] = entries;
  });
  const terms = new Uint32Array(entries);
  const values = new Float32Array(entries);
  texts.forEach((counts, text) => {
    let at = starts[text]!;
    let square = 0;
    for (const [term, count] of counts) {
      const row = rows.get(term);
      if (row === undefined) continue;
      const value = (1 + Math.log(count)) * weights[row]!;
      terms[at] = row;
      values[at++] = value;
      square += value * value;
    }
    const length = Math.sqrt(square);
    for (at = starts[text]!; at < starts[text + 1]!; at++) values[at]! /= length;
  });
  return { terms: kept.map(([term]) => term), weights, texts: { starts, terms, values } };
}

/** With the number of texts that each stands in; the most frequent first, equal ones by their spelling. */
function chooseTerms(texts: readonly TermCounts[], maxTerms: number): [term: string, texts: number][] {
  const found = new Map<string, number>();
  for (const counts of texts) for (const term of counts.keys()) found.set(term, (found.get(term) ?? 0) + 1);
  return [...found]
    .filter(([, count]) => count >= LEAST_TEXTS && count <= texts.length * MOST_SHARE)
    .sort(([a, more], [b, less]) => less - more || (a < b ? -1 : 1))
    .slice(0, maxTerms);
}
