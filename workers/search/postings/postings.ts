import { marksOf, MARKED, type Places } from "./places.ts";

/** Where a word or phrase stands: unit numbers, ascending, and of each how often and where. */
export interface Postings {
  readonly numbers: Int32Array;
  /** Times in the title, at most 255, and in the body, at most 65,535. */
  readonly titles: Uint8Array;
  readonly bodies: Uint16Array;
  /** Null for a phrase. */
  readonly places: Places | null;
}

/** BM25's constants, as FTS5 has them. */
export const K1 = 1.2;
export const B = 0.75;

export const NO_POSTINGS: Postings = roomFor(0, 0);

/** Arrays for so many units, and places of so many bytes, all in one piece of memory: what is in them is yet to be written. */
export function roomFor(units: number, bytes: number): Postings & { readonly places: Places } {
  const marks = Math.ceil(units / MARKED);
  const { buffer } = Buffer.allocUnsafeSlow(7 * units + 4 * marks + bytes);
  return {
    numbers: new Int32Array(buffer, 0, units),
    titles: new Uint8Array(buffer, 6 * units + 4 * marks, units),
    bodies: new Uint16Array(buffer, 4 * units + 4 * marks, units),
    places: {
      bytes: new Uint8Array(buffer, 7 * units + 4 * marks, bytes),
      marks: new Uint32Array(buffer, 4 * units, marks),
    },
  };
}

/** The second stands behind the first. */
export function joinPostings(first: Postings, second: Postings): Postings {
  if (second.numbers.length === 0) return first;
  const bytes = (first.places?.bytes.length ?? 0) + (second.places?.bytes.length ?? 0);
  const { places, ...joined } = roomFor(first.numbers.length + second.numbers.length, bytes);
  join(first.numbers, second.numbers, joined.numbers);
  join(first.titles, second.titles, joined.titles);
  join(first.bodies, second.bodies, joined.bodies);
  if (!first.places || !second.places) return { ...joined, places: null };
  join(first.places.bytes, second.places.bytes, places.bytes);
  places.marks.set(marksOf(joined, places.bytes, first.places.marks));
  return { ...joined, places };
}

function join<T extends Int32Array | Uint8Array | Uint16Array>(first: T, second: T, into: T): void {
  into.set(first);
  into.set(second, first.length);
}

/** Bytes that the arrays take. */
export function sizeOf({ numbers, titles, bodies, places }: Postings): number {
  const ofPlaces = places ? places.bytes.byteLength + places.marks.byteLength : 0;
  return numbers.byteLength + titles.byteLength + bodies.byteLength + ofPlaces;
}

/** Of ascending numbers the first, from a row on, that is not below `least`; its row. Doubling steps, then halving. */
export function indexFrom(ascending: Int32Array, row: number, least: number): number {
  let low = row;
  let step = 1;
  while (low + step < ascending.length && ascending[low + step]! < least) {
    low += step;
    step *= 2;
  }
  let high = Math.min(ascending.length, low + step + 1);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
