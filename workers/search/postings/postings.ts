/** Where a word or phrase stands: unit numbers, ascending, and of each how often and where. */
export interface Postings {
  readonly numbers: Int32Array;
  /** Times in the title, at most 255, and in the body, at most 65,535. */
  readonly titles: Uint8Array;
  readonly bodies: Uint16Array;
  /** Null for a phrase. */
  readonly places: Places | null;
}

/** Where a word stands in each unit that holds it. */
export interface Places {
  /** From 1, at most 65,535: those in the title, then those in the body, each ascending; unit after unit. */
  readonly all: Uint16Array;
  /** Where those of each 64th unit begin. */
  readonly marks: Uint32Array;
}

/** BM25's constants, as FTS5 has them. */
export const K1 = 1.2;
export const B = 0.75;

export const NO_POSTINGS: Postings = {
  numbers: new Int32Array(),
  titles: new Uint8Array(),
  bodies: new Uint16Array(),
  places: { all: new Uint16Array(), marks: new Uint32Array() },
};

/** Units from one mark to the next. */
export const MARKED = 64;

/** The second stands behind the first. */
export function joinPostings(first: Postings, second: Postings): Postings {
  if (second.numbers.length === 0) return first;
  const titles = joined(
    first.titles,
    second.titles,
    new Uint8Array(first.titles.length + second.titles.length),
  );
  const bodies = joined(first.bodies, second.bodies, new Uint16Array(titles.length));
  const [places, more] = [first.places?.all, second.places?.all];
  return {
    numbers: joined(first.numbers, second.numbers, new Int32Array(titles.length)),
    titles,
    bodies,
    places:
      places && more
        ? {
            all: joined(places, more, new Uint16Array(places.length + more.length)),
            marks: marksOf(titles, bodies),
          }
        : null,
  };
}

function joined<T extends Int32Array | Uint8Array | Uint16Array>(first: T, second: T, into: T): T {
  into.set(first);
  into.set(second, first.length);
  return into;
}

export function marksOf(titles: Uint8Array, bodies: Uint16Array): Uint32Array {
  const marks = new Uint32Array(Math.ceil(titles.length / MARKED));
  let start = 0;
  for (let at = 0; at < titles.length; at++) {
    if (at % MARKED === 0) marks[at / MARKED] = start;
    start += titles[at]! + bodies[at]!;
  }
  return marks;
}

/** Where in `places.all` those of the unit at a row of the postings begin. */
export function startOfPlaces({ titles, bodies }: Postings, { marks }: Places, row: number): number {
  let at = row - (row % MARKED);
  let start = marks[at / MARKED]!;
  for (; at < row; at++) start += titles[at]! + bodies[at]!;
  return start;
}

/** Bytes that the arrays take. */
export function sizeOf({ numbers, titles, bodies, places }: Postings): number {
  const ofPlaces = places ? places.all.byteLength + places.marks.byteLength : 0;
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
