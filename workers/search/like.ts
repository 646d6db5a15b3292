import type { QueryUnit } from "../words/query.ts";
import { shapeText } from "../words/shape.ts";
import { stopWords } from "../words/stop-words.ts";
import type { Likeness } from "./contract.ts";
import type { UnitSet } from "./hidden-units.ts";
import type { OpenIndex } from "./readers.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { numbersOf, unitNumber } from "./units.ts";

/** Words that speak for a text: more make it slower and hardly better. */
const MOST_TELLING = 30;
/** Different words of a text that are weighed, the most frequent of them. */
const MOST_WEIGHED = 2000;
/** A word of a single letter or of one digit says nothing by itself. */
const word = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]+/gu;
const MAX_TOKEN_CHARACTERS = 64;
/** Said four times in the text, a word counts twice; sixteen times, three times. */
const REPEATS_BASE = 4;

/**
 * The words of a text that tell it from the others of the index: frequent here, rare there (tf · idf). What stands
 * nowhere in the index is of no use, and what stands nearly everywhere of little.
 */
export function tellingWords({ postings }: OpenIndex, tokenizer: Tokenizer, text: string): QueryUnit[] {
  const counts = new Map<string, number>();
  for (const [token] of shapeText(text.normalize("NFC"), []).matchAll(word)) {
    const plain = token.toLowerCase();
    if (plain.length > MAX_TOKEN_CHARACTERS || stopWords.has(plain)) continue;
    counts.set(plain, (counts.get(plain) ?? 0) + 1);
  }
  const frequent = [...counts].toSorted((a, b) => b[1] - a[1]).slice(0, MOST_WEIGHED);
  const terms = tokenizer.terms(frequent.map(([token]) => token));
  const units = postings.lengths.units();
  const weighed = frequent.flatMap(([token, count], at) => {
    const term = terms[at] ?? null;
    const holding = term === null ? 0 : postings.frequency(term);
    if (holding === 0) return [];
    const weight = (1 + Math.log(count)) * Math.log(1 + units / holding);
    return [{ token, term, count, weight }];
  });
  weighed.sort((a, b) => b.weight - a.weight || (a.token < b.token ? -1 : 1));
  const seen = new Set<string | null>();
  const best = weighed.filter(({ term }) => !seen.has(term) && seen.add(term)).slice(0, MOST_TELLING);
  return best.flatMap(({ token, count }) => {
    const times = 1 + Math.floor(Math.log(count) / Math.log(REPEATS_BASE));
    return Array.from({ length: times }, (): QueryUnit => ({ kind: "word", tokens: [token] }));
  });
}

/** `accept` without what a text was taken from; null takes any. */
export function withoutItself(
  { reader, postings }: OpenIndex,
  accept: UnitSet | null,
  { exceptMaterial, exceptUnit }: Likeness,
): UnitSet | null {
  const own = new Set(exceptMaterial === null ? [] : numbersOf(reader, [exceptMaterial]));
  const number = exceptUnit === null ? undefined : unitNumber(reader, exceptUnit);
  if (number !== undefined) own.add(number);
  if (own.size === 0) return accept;
  return {
    size: Math.max(0, (accept?.size ?? postings.lengths.units()) - own.size),
    has: (candidate) => !own.has(candidate) && accept?.has(candidate) !== false,
  };
}
