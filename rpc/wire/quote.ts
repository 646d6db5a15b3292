/** Words come from outside, and must not fill an answer. */
const MAX_CHARS = 64;

/** A word from outside, cut to what fits into a sentence. */
export function quote(word: string): string {
  return JSON.stringify(word.length > MAX_CHARS ? `${word.slice(0, MAX_CHARS)}…` : word);
}
