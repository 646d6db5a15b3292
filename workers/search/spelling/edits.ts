const MAX_LENGTH = 64;

let [before, last, current] = [row(), row(), row()];

function row(): Uint8Array {
  return new Uint8Array(MAX_LENGTH + 1);
}

/**
 * Edits that make one word of the other: a letter more, less or another, or two neighbours that changed places. Answers
 * `most` + 1 for more than `most`. Words of up to 64 units.
 */
export function editsBetween(one: ArrayLike<number>, other: ArrayLike<number>, most: number): number {
  const tooMany = most + 1;
  if (Math.abs(one.length - other.length) > most) return tooMany;
  if (one.length > MAX_LENGTH || other.length > MAX_LENGTH) return tooMany;
  for (let at = 0; at <= other.length; at++) last[at] = at;
  for (let at = 1; at <= one.length; at++) {
    current[0] = at;
    let least = at;
    for (let to = 1; to <= other.length; to++) {
      const same = one[at - 1] === other[to - 1];
      let edits = Math.min(last[to]! + 1, current[to - 1]! + 1, last[to - 1]! + (same ? 0 : 1));
      const swapped = at > 1 && to > 1 && one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1];
      if (swapped) edits = Math.min(edits, before[to - 2]! + 1);
      current[to] = edits;
      least = Math.min(least, edits);
    }
    // One row may be skipped by a transposition, so that the row before must be hopeless too: it was, or this is not yet.
    if (least > most && at > 1 && Math.min(...last.subarray(0, other.length + 1)) > most) return tooMany;
    [before, last, current] = [last, current, before];
  }
  return Math.min(tooMany, last[other.length]!);
}

const alphabet = Array.from("abcdefghijklmnopqrstuvwxyz");

/** All words that are one edit away from a word of Latin letters: about 55 for each letter. */
export function oneEditAway(word: string): string[] {
  const words: string[] = [];
  for (let at = 0; at <= word.length; at++) {
    const [head, tail] = [word.slice(0, at), word.slice(at)];
    if (tail !== "") words.push(head + tail.slice(1));
    if (tail.length > 1 && tail[0] !== tail[1]) words.push(`${head}${tail[1]}${tail[0]}${tail.slice(2)}`);
    for (const letter of alphabet) {
      if (tail !== "" && letter !== tail[0]) words.push(head + letter + tail.slice(1));
      words.push(head + letter + tail);
    }
  }
  return [...new Set(words)];
}
