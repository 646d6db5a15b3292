import type { QueryUnit } from "./query.ts";
import { isPaired } from "./scripts.ts";
import { isFunctionPair } from "./stop-words.ts";

/**
 * A character stands in many words of other meaning. 0.2 to 0.6 measured alike; pairs that the text has by chance count more
 * in any case.
 */
const WEIGHT = 0.4;
const MAX_CHARACTERS = 16;
const hiragana = /\p{sc=Hiragana}/u;
/** Characters that mean something alone: kana spell words, one of them is none. */
const meaningful = /^[\p{sc=Han}\p{sc=Hangul}]$/u;

/** Pairs of CJK characters that say something of the subject: none that carries grammar, in whole or in part. */
export function tellingPairs(units: readonly QueryUnit[]): QueryUnit[] {
  return units.filter(({ kind, tokens: [pair = ""] }) => {
    if (kind !== "word" || !isPaired(pair)) return false;
    return !hiragana.test(pair) && Array.from(pair).every((character) => !isFunctionPair(character));
  });
}

/** The characters of substance in the CJK pairs of a query, once each: each is the start of any of its pairs. */
export function singleCharacters(units: readonly QueryUnit[]): QueryUnit[] {
  const pairs = units.filter(({ kind, tokens: [pair = ""] }) => kind === "word" && isPaired(pair));
  const characters = new Set(pairs.flatMap(({ tokens: [pair = ""] }) => Array.from(pair)));
  return [...characters]
    .filter((character) => meaningful.test(character) && !isFunctionPair(character))
    .slice(0, MAX_CHARACTERS)
    .map((character) => ({ kind: "prefix", tokens: [character], weight: WEIGHT }));
}
