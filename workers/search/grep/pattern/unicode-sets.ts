import { charSet, isIn, MAX_CODE_POINT, rangesOf, union, type CharSet } from "./char-set.ts";

/**
 * Where Unicode has assigned anything but private use: planes 0 to 3 and the tags and variation selectors of plane 14;
 * without the halves of surrogate pairs, which are no characters.
 */
const LOOKED_AT = [
  [0, 0xd7ff],
  [0xe000, 0x3ffff],
  [0xe0000, 0xe3fff],
] as const;
/** The rest is all alike, unassigned or for private use: the first character of a range stands for the others. */
const ALIKE = [
  [0x40000, 0xdffff],
  [0xe4000, 0xeffff],
  [0xf0000, MAX_CODE_POINT],
] as const;
/** Characters that are looked at in one text: all at once would take a megabyte. */
const BLOCK = 0x4000;

/** A class as JavaScript's engine knows it, such as `\p{L}`: its Unicode data is the only table there is. Kept once made. */
export function unicodeSet(source: string): CharSet {
  let set = known.get(source);
  if (set === undefined) {
    set = scan(new RegExp(`[${source}]+`, "gu"));
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(source, set);
  }
  return set;
}

const known = new Map<string, CharSet>();
/** Names come from outside; there are some 3,000. */
const MAX_KNOWN = 64;

/** As the Unicode standard has it for regular expressions (UTS 18). */
export const WORD = String.raw`\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}`;
export const DIGIT = String.raw`\p{Nd}`;
export const SPACE = String.raw`\p{White_Space}`;

function scan(runs: RegExp): CharSet {
  const ranges: [number, number][] = [];
  for (const [first, last] of LOOKED_AT) {
    for (let from = first; from <= last;) {
      // A block is of one width: of characters of one unit, or of two.
      const to = Math.min(last, from + BLOCK - 1, from <= 0xffff ? 0xffff : last);
      scanBlock(runs, from, to, ranges);
      from = to + 1;
    }
  }
  for (const [first, last] of ALIKE) {
    if (String.fromCodePoint(first).search(runs) === 0) ranges.push([first, last]);
  }
  return charSet(ranges);
}

function scanBlock(runs: RegExp, from: number, to: number, ranges: [number, number][]): void {
  const text = String.fromCodePoint(...Array.from({ length: to - from + 1 }, (_, at) => from + at));
  const units = from > 0xffff ? 2 : 1;
  for (const match of text.matchAll(runs)) {
    const first = from + match.index / units;
    ranges.push([first, first + match[0].length / units - 1]);
  }
}

/** With each character the ones that differ from it in case alone, by simple case folding. */
export function foldCase(set: CharSet): CharSet {
  if ((set.at(-1) ?? 0) <= 0x7f) return foldAscii(set);
  const variants = caseVariants();
  const found: [number, number][] = [];
  const points = [...rangesOf(set)].reduce((sum, [low, high]) => sum + high - low + 1, 0);
  // The table is shorter than most classes.
  if (points < variants.size) {
    for (const [low, high] of rangesOf(set))
      for (let point = low; point <= high; point++)
        for (const other of variants.get(point) ?? []) found.push([other, other]);
  } else {
    for (const [point, others] of variants)
      if (isIn(set, point)) for (const other of others) found.push([other, other]);
  }
  return found.length === 0 ? set : union(set, charSet(found));
}

/** Most patterns are of ASCII, and need no table. Of its letters two have variants elsewhere: K (Kelvin sign) and s (long s). */
function foldAscii(set: CharSet): CharSet {
  const found: [number, number][] = [];
  for (const [low, high] of rangesOf(set)) {
    for (let point = low; point <= high; point++) {
      const letter = String.fromCharCode(point).toLowerCase();
      if (!/^[a-z]$/.test(letter)) continue;
      for (const other of [letter, letter.toUpperCase(), ASCII_VARIANTS[letter] ?? letter])
        found.push([other.charCodeAt(0), other.charCodeAt(0)]);
    }
  }
  return found.length === 0 ? set : union(set, charSet(found));
}

const ASCII_VARIANTS: Readonly<Record<string, string>> = { k: "\u212a", s: "\u017f" };

let variantTable: ReadonlyMap<number, readonly number[]> | undefined;

/** About 2,800 characters with their one to three others; made at the first use, in some milliseconds. */
function caseVariants(): ReadonlyMap<number, readonly number[]> {
  if (variantTable) return variantTable;
  const cased = unicodeSet(String.raw`\p{Changes_When_Casemapped}`);
  const groups = new Map<number, Set<number>>();
  for (const [low, high] of rangesOf(cased)) {
    for (let point = low; point <= high; point++) {
      const group = new Set([point]);
      for (const other of mapped(point)) for (const one of groups.get(other) ?? [other]) group.add(one);
      for (const one of group) groups.set(one, group);
    }
  }
  const table = new Map<number, number[]>();
  for (const [point, group] of groups) {
    const others = [...group].filter((other) => other !== point && isSameFolded(point, other));
    if (others.length > 0) table.set(point, others);
  }
  return (variantTable = table);
}

function mapped(point: number): number[] {
  const text = String.fromCodePoint(point);
  const near = [text.toLowerCase(), text.toUpperCase(), text.toUpperCase().toLowerCase()];
  return near.flatMap((other) => {
    const [one, ...rest] = other;
    return one !== undefined && rest.length === 0 ? [one.codePointAt(0)!] : [];
  });
}

/** The engine's own comparison under `iu` is simple case folding. */
function isSameFolded(a: number, b: number): boolean {
  return new RegExp(`^\\u{${a.toString(16)}}$`, "iu").test(String.fromCodePoint(b));
}
