import { fillMarks, MARKED, type Places } from "./places.ts";

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

/** Bytes of a number or a mark, and of a count in the body. */
const NUMBER = 4;
const COUNT = 2;
/** A unit's number and both of its counts. */
const UNIT = NUMBER + COUNT + 1;

/** What arrays of postings hold. */
export interface Extent {
  readonly units: number;
  /** Bytes of places; null for postings without. */
  readonly places: number | null;
}

export const NO_POSTINGS: Postings = postingsIn(new ArrayBuffer(0), 0, { units: 0, places: 0 });

export function extentOf({ numbers, places }: Postings): Extent {
  return { units: numbers.length, places: places && places.bytes.length };
}

/** Memory that postings take: a multiple of four bytes. */
export function bytesFor({ units, places }: Extent): number {
  const bytes = UNIT * units + (places === null ? 0 : NUMBER * marksFor(units) + places);
  return Math.ceil(bytes / NUMBER) * NUMBER;
}

/** Arrays for postings in a piece of memory, from a multiple of four on. */
export function postingsIn(buffer: ArrayBuffer, start: number, { units, places }: Extent): Postings {
  const marks = places === null ? 0 : marksFor(units);
  const startOfMarks = start + NUMBER * units;
  const startOfBodies = startOfMarks + NUMBER * marks;
  const startOfTitles = startOfBodies + COUNT * units;
  return {
    numbers: new Int32Array(buffer, start, units),
    titles: new Uint8Array(buffer, startOfTitles, units),
    bodies: new Uint16Array(buffer, startOfBodies, units),
    places:
      places === null
        ? null
        : {
            bytes: new Uint8Array(buffer, startOfTitles + units, places),
            marks: new Uint32Array(buffer, startOfMarks, marks),
          },
  };
}

export function extentOfBoth(first: Postings, second: Postings): Extent {
  const [one, other] = [extentOf(first), extentOf(second)];
  const hasPlaces = one.places !== null && other.places !== null;
  return {
    units: one.units + other.units,
    places: hasPlaces ? one.places + other.places : null,
  };
}

/** Writes both into arrays of their extent, the second behind the first. */
export function joinPostings(first: Postings, second: Postings, into: Postings): Postings {
  join(first.numbers, second.numbers, into.numbers);
  join(first.titles, second.titles, into.titles);
  join(first.bodies, second.bodies, into.bodies);
  if (!first.places || !second.places || !into.places) return into;
  join(first.places.bytes, second.places.bytes, into.places.bytes);
  if (first.numbers.length === 0) into.places.marks.set(second.places.marks);
  else fillMarks(into, into.places, first.places.marks);
  return into;
}

function marksFor(units: number): number {
  return Math.ceil(units / MARKED);
}

function join<T extends Int32Array | Uint8Array | Uint16Array>(first: T, second: T, into: T): void {
  into.set(first);
  into.set(second, first.length);
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
