import { editsBetween } from "./edits.ts";

export interface NearTerm {
  readonly term: string;
  readonly distance: number;
  /** In how many units it stands, rounded down to a power of two. */
  readonly units: number;
}

/** Terms with how frequent they are, packed by length: about 20 bytes a term. */
export interface TermTable {
  /** In ascending order of SQLite's. */
  add(term: string, units: number): void;
  units(term: string): number;
  near(term: string, most: number): NearTerm[];
  bytes(): number;
}

export const SHORTEST_TERM = 2;
export const LONGEST_TERM = 32;
/** Beyond it the rarest go: a million chunks of English have half a million terms, most of them in one chunk alone. */
const MAX_TERMS = 600_000;
const FIRST_ROWS = 64;

/** All terms of one length, ascending. */
interface Rows {
  readonly length: number;
  count: number;
  codes: Uint16Array;
  /** Which letters it has, one bit each: tells most terms that are far away without comparing. */
  letters: Uint32Array;
  /** Logarithm to the base of two. */
  frequencies: Uint8Array;
}

export function createTermTable(maxTerms = MAX_TERMS): TermTable {
  const byLength: Rows[] = [];
  for (let length = 0; length <= LONGEST_TERM; length++) byLength.push(emptyRows(length));
  let total = 0;
  let least = 0;

  function dropRarest(): void {
    while (total > maxTerms) {
      least++;
      total = 0;
      for (const rows of byLength) {
        retain(rows, least);
        total += rows.count;
      }
    }
  }

  return {
    add(term, units) {
      const frequency = Math.floor(Math.log2(Math.max(1, units)));
      const rows = byLength[term.length];
      if (!rows || frequency < least) return;
      append(rows, term, frequency);
      if (++total > maxTerms) dropRarest();
    },
    units(term) {
      const rows = byLength[term.length];
      const at = rows ? find(rows, term) : -1;
      return at < 0 ? 0 : 2 ** rows!.frequencies[at]!;
    },
    near(term, most) {
      const found: NearTerm[] = [];
      const codes = codesOf(term);
      for (let length = term.length - most; length <= term.length + most; length++) {
        const rows = byLength[length];
        if (rows) findNear(rows, codes, most, found);
      }
      return found;
    },
    bytes: () =>
      byLength.reduce(
        (sum, rows) => sum + rows.codes.byteLength + rows.letters.byteLength + rows.frequencies.byteLength,
        0,
      ),
  };
}

function emptyRows(length: number): Rows {
  return {
    length,
    count: 0,
    codes: new Uint16Array(length * FIRST_ROWS),
    letters: new Uint32Array(FIRST_ROWS),
    frequencies: new Uint8Array(FIRST_ROWS),
  };
}

function append(rows: Rows, term: string, frequency: number): void {
  if (rows.count === rows.letters.length) {
    const capacity = Math.ceil(rows.count * 1.5);
    const { codes, letters, frequencies } = rows;
    rows.codes = new Uint16Array(capacity * rows.length);
    rows.letters = new Uint32Array(capacity);
    rows.frequencies = new Uint8Array(capacity);
    rows.codes.set(codes);
    rows.letters.set(letters);
    rows.frequencies.set(frequencies);
  }
  const codes = codesOf(term);
  rows.codes.set(codes, rows.count * rows.length);
  rows.letters[rows.count] = lettersOf(codes);
  rows.frequencies[rows.count++] = frequency;
}

function retain(rows: Rows, least: number): void {
  let kept = 0;
  for (let at = 0; at < rows.count; at++) {
    if (rows.frequencies[at]! < least) continue;
    rows.codes.copyWithin(kept * rows.length, at * rows.length, (at + 1) * rows.length);
    rows.letters[kept] = rows.letters[at]!;
    rows.frequencies[kept++] = rows.frequencies[at]!;
  }
  rows.count = kept;
}

/** Where the term stands, or -1. UTF-16 units of the basic plane are in the order of SQLite's bytes. */
function find({ length, count, codes }: Rows, term: string): number {
  let [low, high] = [0, count - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    let order = 0;
    for (let at = 0; at < length && order === 0; at++)
      order = codes[middle * length + at]! - term.charCodeAt(at);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

function findNear(rows: Rows, term: Uint16Array, most: number, found: NearTerm[]): void {
  const wanted = lettersOf(term);
  const { length, count, codes, letters, frequencies } = rows;
  for (let row = 0; row < count; row++) {
    const other = letters[row]!;
    if (bitsOf(wanted & ~other) > most || bitsOf(other & ~wanted) > most) continue;
    const candidate = codes.subarray(row * length, (row + 1) * length);
    const distance = editsBetween(term, candidate, most);
    if (distance <= most)
      found.push({ term: String.fromCharCode(...candidate), distance, units: 2 ** frequencies[row]! });
  }
}

function codesOf(term: string): Uint16Array {
  return Uint16Array.from({ length: term.length }, (_, at) => term.charCodeAt(at));
}

function lettersOf(codes: Uint16Array): number {
  let letters = 0;
  for (const code of codes) letters |= 1 << (code & 31);
  return letters >>> 0;
}

function bitsOf(value: number): number {
  let bits = value - ((value >>> 1) & 0x5555_5555);
  bits = (bits & 0x3333_3333) + ((bits >>> 2) & 0x3333_3333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
