import { closest, distance } from "fastest-levenshtein";

/** Longer words are cut before they are compared or quoted: they come from outside. */
const MAX_CHARS = 64;

/** The known word that the given one was most likely meant to be, or undefined when none is near. */
export function nearest(given: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const word = given.slice(0, MAX_CHARS);
  const candidate = closest(word, known);
  const tolerated = Math.max(2, Math.floor(word.length / 3));
  return distance(word, candidate) <= tolerated ? candidate : undefined;
}

/** A word from outside, cut to what fits into a sentence. */
export function quote(word: string): string {
  return JSON.stringify(word.length > MAX_CHARS ? `${word.slice(0, MAX_CHARS)}…` : word);
}
