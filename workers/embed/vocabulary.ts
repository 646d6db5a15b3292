/**
 * Finds a word's row without making a string of it: the text is hashed where it stands, and compared in an open-addressed
 * table. That is most of what makes embedding fast, since a chunk is a few hundred look-ups.
 */
export interface Vocabulary {
  readonly size: number;
  /** The row of text.slice(start, end), or -1 for a word that is not in the list. */
  find(text: string, start: number, end: number): number;
}

/** Slots per word, at least: keeps runs of occupied slots short. */
const SPREAD = 3;

/** Row numbers are positions in `words`. Of a word that stands there twice, the first counts. */
export function buildVocabulary(words: readonly string[]): Vocabulary {
  const slotCount = 2 ** Math.ceil(Math.log2(Math.max(2, words.length * SPREAD)));
  const mask = slotCount - 1;
  const slots = new Int32Array(slotCount).fill(-1);
  const starts = new Int32Array(words.length + 1);
  const units = new Uint16Array(words.reduce((sum, word) => sum + word.length, 0));

  const find = (text: string, start: number, end: number): number => {
    const length = end - start;
    for (let slot = hashOf(text, start, end) & mask; ; slot = (slot + 1) & mask) {
      const row = slots[slot]!;
      if (row === -1) return -1;
      const from = starts[row]!;
      if (starts[row + 1]! - from !== length) continue;
      let same = 0;
      while (same < length && units[from + same] === text.charCodeAt(start + same)) same++;
      if (same === length) return row;
    }
  };

  words.forEach((word, row) => {
    const from = starts[row]!;
    for (let at = 0; at < word.length; at++) units[from + at] = word.charCodeAt(at);
    starts[row + 1] = from + word.length;
    if (find(word, 0, word.length) !== -1) return;
    let slot = hashOf(word, 0, word.length) & mask;
    while (slots[slot] !== -1) slot = (slot + 1) & mask;
    slots[slot] = row;
  });
  return { size: words.length, find };
}

/** Spreads its bits downwards at the end, because only the low ones choose the slot. */
function hashOf(text: string, start: number, end: number): number {
  let hash = end - start;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x5bd1e995);
  return hash ^ (hash >>> 15);
}
