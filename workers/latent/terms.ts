import type { Tokenizer } from "../search/tokenizer.ts";
import { PAIRED } from "../words/scripts.ts";
import { shapeText, WORDS_VERSION } from "../words/shape.ts";
import { isFunctionPair, stopWords } from "../words/stop-words.ts";

/**
 * The version of all that decides what a text's latent vector is, beside its basis: a basis of another one is fitted
 * anew, and no search uses it meanwhile.
 */
export const TERMS_VERSION = 1000 * WORDS_VERSION + 1;

/** How often a term occurs in one text. */
export type TermCounts = ReadonlyMap<string, number>;

/** Of one text; a chunk is shorter. */
const MAX_CHARACTERS = 10_000;
/** Longer words are encoded data. */
const MAX_WORD = 64;

const word = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
const paired = new RegExp(`^[${PAIRED}]`, "u");

/** The terms of a text as the word index has them, without those that only carry grammar. */
export function countTerms(tokenizer: Tokenizer, text: string): TermCounts {
  const shaped = shapeText(text.slice(0, MAX_CHARACTERS), []);
  const words = (shaped.match(word) ?? []).filter(hasSubstance);
  const counts = new Map<string, number>();
  for (const term of tokenizer.terms(words)) {
    if (term !== null) counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  return counts;
}

function hasSubstance(found: string): boolean {
  if (found.length > MAX_WORD) return false;
  return paired.test(found) ? !isFunctionPair(found) : !stopWords.has(found.toLowerCase());
}
