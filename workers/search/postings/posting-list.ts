import { LAST_PLACE, MARKED } from "./places.ts";
import type { Postings } from "./postings.ts";

/** The postings of one term in one segment of an FTS5 index, the pages' headers cut out. */
export interface Doclist {
  readonly bytes: Uint8Array;
  /** Where a row number stands as it is, ascending; all others are differences to the one before. */
  readonly absolutes: readonly number[];
}

const MOST_IN_TITLE = 0xff;
const MOST_IN_BODY = 0xffff;

/** What room is kept for the next word: 5 MB. */
const KEPT_ROWS = 500_000;
const KEPT_BYTES = 1_500_000;
/** Bytes that the shortest posting takes: the difference to the number before, its size, and one place in the title. */
const LEAST_BYTES = 3;
/** In a list of places: a number of a column follows, and its places. */
const COLUMN = 1;
const COLUMN_BYTES = 2;
const TITLE = 0;
/** That the last place which is told takes. */
const PLACE_BYTES = 3;

/** Takes postings in, ascending. What it has room for is used again. */
export class PostingList {
  #numbers = new Int32Array(256);
  #titles = new Uint8Array(256);
  #bodies = new Uint16Array(256);
  #places = new Uint8Array(1024);
  #marks = new Uint32Array(256 / MARKED);
  #count = 0;
  #placed = 0;
  /** The place that `addPlace` was told before. */
  #before = { isTitle: false, place: 0 };

  clear(): void {
    this.#count = 0;
    this.#placed = 0;
    // Room for a word of very many units is not kept.
    if (this.#places.length > KEPT_BYTES) this.#places = new Uint8Array(1024);
    if (this.#numbers.length <= KEPT_ROWS) return;
    this.#numbers = new Int32Array(256);
    this.#titles = new Uint8Array(256);
    this.#bodies = new Uint16Array(256);
    this.#marks = new Uint32Array(256 / MARKED);
  }

  /**
   * Rows behind `after` that are not gone, at about 14 ns each. False when it is not what FTS5 writes, or does not go on from
   * what was taken in before.
   */
  take({ bytes, absolutes }: Doclist, after: number, gone: ReadonlySet<number>): boolean {
    const end = bytes.length;
    this.#reserve(Math.ceil(end / LEAST_BYTES), end);
    const [numbers, titles, bodies] = [this.#numbers, this.#titles, this.#bodies];
    const [places, marks] = [this.#places, this.#marks];
    const mayBeGone = gone.size > 0;
    let [count, placed] = [this.#count, this.#placed];
    let mark = Math.ceil(count / MARKED);
    let marked = mark * MARKED;
    let at = 0;
    let absolute = 0;
    let whole = absolutes[0] ?? -1;
    let number = 0;
    let last = count > 0 ? numbers[count - 1]! : 0;
    while (at < end) {
      const isWhole = at === whole;
      let byte = bytes[at++]!;
      let value = byte & 0x7f;
      while (byte >= 0x80 && at < end) {
        byte = bytes[at++]!;
        value = value * 128 + (byte & 0x7f);
      }
      if (isWhole) {
        number = value;
        whole = absolutes[++absolute] ?? -1;
      } else number += value;
      byte = at < end ? bytes[at++]! : 0x80;
      let size = byte & 0x7f;
      while (byte >= 0x80 && at < end) {
        byte = bytes[at++]!;
        size = size * 128 + (byte & 0x7f);
      }
      const stop = at + (size >>> 1);
      // An odd size marks a deletion, for which this kind of table has tombstones.
      if (stop === at || stop > end || (size & 1) === 1 || number <= last || bytes[stop - 1]! >= 0x80)
        return false;
      last = number;
      if (number > after && !(mayBeGone && gone.has(number))) {
        if (count === marked) {
          marks[mark++] = placed;
          marked += MARKED;
        }
        numbers[count] = number;
        const length = stop - at - COLUMN_BYTES;
        // Most words stand in the body alone, and once.
        if (bytes[at] !== COLUMN || length < 1 || length > MOST_IN_BODY)
          placed = this.#addFields(count, bytes, at, stop, placed);
        else {
          titles[count] = 0;
          if (length === 1) places[placed] = bytes[stop - 1]!;
          bodies[count] = length === 1 ? 1 : copyPlaces(bytes, stop - length, stop, places, placed);
          placed += length;
        }
        count++;
      }
      at = stop;
    }
    this.#count = count;
    this.#placed = placed;
    return true;
  }

  /** One place of a unit, from 1; those of a unit side by side, the title's first. */
  addPlace(number: number, isTitle: boolean, place: number): void {
    this.#reserve(1, PLACE_BYTES);
    const last = this.#count - 1;
    const isNew = last < 0 || this.#numbers[last] !== number;
    const row = isNew ? this.#count++ : last;
    if (isNew) {
      if (row % MARKED === 0) this.#marks[row / MARKED] = this.#placed;
      this.#numbers[row] = number;
      this.#titles[row] = 0;
      this.#bodies[row] = 0;
    }
    if (isTitle ? this.#titles[row] === MOST_IN_TITLE : this.#bodies[row] === MOST_IN_BODY) return;
    if (isTitle) this.#titles[row]!++;
    else this.#bodies[row]!++;
    const told = Math.min(place, LAST_PLACE);
    const before = isNew || this.#before.isTitle !== isTitle ? 1 : this.#before.place;
    this.#before = { isTitle, place: told };
    this.#addInteger(told - before + 2);
  }

  /** What was taken in, as long as nothing else is. */
  postings(): Postings {
    const count = this.#count;
    const places = {
      bytes: this.#places.subarray(0, this.#placed),
      marks: this.#marks.subarray(0, Math.ceil(count / MARKED)),
    };
    return {
      numbers: this.#numbers.subarray(0, count),
      titles: this.#titles.subarray(0, count),
      bodies: this.#bodies.subarray(0, count),
      places,
    };
  }

  #addInteger(value: number): void {
    for (let bits = 7 * (PLACE_BYTES - 1); bits > 0; bits -= 7)
      if (value >> bits > 0) this.#places[this.#placed++] = ((value >> bits) & 0x7f) | 0x80;
    this.#places[this.#placed++] = value & 0x7f;
  }

  /** Of any list of places, with places in the title or very many. Answers how far the room for places is filled then. */
  #addFields(row: number, bytes: Uint8Array, from: number, stop: number, placed: number): number {
    const places = this.#places;
    let isTitle = true;
    let titles = 0;
    let bodies = 0;
    let to = placed;
    for (let at = from; at < stop;) {
      if (bytes[at] === COLUMN) {
        isTitle = bytes[at + 1] === TITLE;
        at += COLUMN_BYTES;
        continue;
      }
      const isTold = isTitle ? titles < MOST_IN_TITLE : bodies < MOST_IN_BODY;
      if (isTold && isTitle) titles++;
      else if (isTold) bodies++;
      for (let byte = 0x80; byte >= 0x80 && at < stop;) {
        byte = bytes[at++]!;
        if (isTold) places[to++] = byte;
      }
    }
    this.#titles[row] = titles;
    this.#bodies[row] = bodies;
    return to;
  }

  #reserve(more: number, morePlaces: number): void {
    const rows = this.#count + more;
    if (rows > this.#numbers.length) {
      const size = roomy(rows, KEPT_ROWS);
      this.#numbers = wider(this.#numbers, new Int32Array(size));
      this.#titles = wider(this.#titles, new Uint8Array(size));
      this.#bodies = wider(this.#bodies, new Uint16Array(size));
      this.#marks = wider(this.#marks, new Uint32Array(Math.ceil(size / MARKED)));
    }
    const places = this.#placed + morePlaces;
    if (places > this.#places.length)
      this.#places = wider(this.#places, new Uint8Array(roomy(places, KEPT_BYTES)));
  }
}

/** Answers how many they are. */
function copyPlaces(bytes: Uint8Array, from: number, stop: number, into: Uint8Array, placed: number): number {
  let count = 0;
  for (let at = from, to = placed; at < stop; at++, to++) {
    const byte = bytes[at]!;
    into[to] = byte;
    count += 1 - (byte >>> 7);
  }
  return count;
}

/** Puts 1 at the number of each row; false where the list is not what FTS5 writes. */
export function markRows({ bytes, absolutes }: Doclist, into: Uint8Array): boolean {
  const end = bytes.length;
  let absolute = 0;
  let whole = absolutes[0] ?? -1;
  let number = 0;
  let at = 0;
  while (at < end) {
    const isWhole = at === whole;
    let value = 0;
    let byte = 0x80;
    for (; byte >= 0x80 && at < end; value = value * 128 + (byte & 0x7f)) byte = bytes[at++]!;
    if (isWhole) {
      number = value;
      whole = absolutes[++absolute] ?? -1;
    } else number += value;
    let size = 0;
    byte = 0x80;
    for (; byte >= 0x80 && at < end; size = size * 128 + (byte & 0x7f)) byte = bytes[at++]!;
    if ((size & 1) === 1) return false;
    at += size >>> 1;
    into[number] = 1;
  }
  return at === end;
}

/** The double, but no more than is kept, if that is enough. */
function roomy(needed: number, kept: number): number {
  return Math.max(Math.ceil(needed * 1.25), Math.min(needed * 2, kept));
}

function wider<T extends Int32Array | Uint8Array | Uint16Array | Uint32Array>(old: T, into: T): T {
  into.set(old);
  return into;
}
