import { rangesOf, type CharSet } from "./char-set.ts";
import type { Program } from "./program.ts";
import { invalid } from "./syntax.ts";
import { unicodeSet, WORD } from "./unicode-sets.ts";

/** Characters that no set of a program tells apart are one letter of its alphabet. */
export interface Alphabet {
  /** Letters, the line's end (0) among them. */
  readonly size: number;
  /** By UTF-16 unit; of halves of surrogate pairs it says nothing. */
  readonly letterOfUnit: Uint16Array;
  letterOf(codePoint: number): number;
  /** By set and letter: 1 when the letter's characters are in the set. */
  readonly members: readonly Uint8Array[];
  /** By letter: 1 for word characters. All 0 when the program never asks. */
  readonly isWord: Uint8Array;
}

/** The letter of the end of a line, which also ends a text. */
export const LINE_END_LETTER = 0;

export function createAlphabet({ sets, steps }: Program): Alphabet {
  const asksForWords = steps.some((step) => step.kind === "look" && !step.look.startsWith("line"));
  const all: CharSet[] = [[0x0a, 0x0a], ...(asksForWords ? [unicodeSet(WORD)] : []), ...sets];
  const { starts, letters, memberships } = partition(all);
  const letterOfUnit = new Uint16Array(0x10000);
  starts.forEach((start, at) => {
    if (start <= 0xffff)
      letterOfUnit.fill(letters[at]!, start, Math.min(starts[at + 1] ?? Infinity, 0x10000));
  });
  const columns = all.map(() => new Uint8Array(memberships.length));
  memberships.forEach((membership, letter) => {
    for (const set of membership) columns[set]![letter] = 1;
  });
  return {
    size: memberships.length,
    letterOfUnit,
    letterOf: (codePoint) => letters[intervalOf(starts, codePoint)]!,
    members: columns.slice(all.length - sets.length),
    isWord: asksForWords ? columns[1]! : new Uint8Array(memberships.length),
  };
}

/** Sets at all intervals together: some 100 ms. A hundred different classes as large as \w are a tenth of it. */
const MAX_WORK = 2_000_000;

/** Intervals of code points by their first, each with the number of the membership it has. */
function partition(sets: readonly CharSet[]) {
  // A set enters at the first of a range and leaves behind its last.
  const changes: [at: number, set: number, enters: boolean][] = [];
  sets.forEach((set, number) => {
    for (const [low, high] of rangesOf(set)) changes.push([low, number, true], [high + 1, number, false]);
  });
  changes.sort(([a], [b]) => a - b);
  const starts = [0];
  const letters: number[] = [];
  // The line's end is the first set and in no other, so that its letter can be given before it is met.
  const memberships: ReadonlySet<number>[] = [new Set([0])];
  const numbers = new Map([["0", LINE_END_LETTER]]);
  const inside = new Set<number>();
  let work = 0;
  const close = () => {
    work += inside.size;
    if (work > MAX_WORK) throw invalid("the pattern has too many classes of characters that overlap");
    const key = [...inside].toSorted((a, b) => a - b).join();
    let letter = numbers.get(key);
    if (letter === undefined) {
      letter = memberships.push(new Set(inside)) - 1;
      numbers.set(key, letter);
    }
    letters.push(letter);
  };
  for (const [at, set, enters] of changes) {
    if (at > starts.at(-1)!) {
      close();
      starts.push(at);
    }
    if (enters) inside.add(set);
    else inside.delete(set);
  }
  close();
  return { starts, letters, memberships };
}

function intervalOf(starts: readonly number[], codePoint: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= codePoint) low = middle;
    else high = middle - 1;
  }
  return low;
}
