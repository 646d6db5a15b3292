import { MARKED, type Postings } from "./postings.ts";

/** The postings of one term in one segment of an FTS5 index, the pages' headers cut out. */
export interface Doclist {
  readonly bytes: Uint8Array;
  /** Where a row number stands as it is, ascending; all others are differences to the one before. */
  readonly absolutes: readonly number[];
}

const MOST_IN_TITLE = 0xff;
const MOST_IN_BODY = 0xffff;
const LAST_PLACE = 0xffff;
/** What room is kept for the next word: 5 MB. */
const KEPT_ROWS = 400_000;
const KEPT_PLACES = 1_000_000;
/** Bytes that the shortest posting takes. */
const LEAST_BYTES = 2;
/** In a list of places: a number of a column follows, and its places. */
const COLUMN = 1;
const TITLE = 0;

/** Takes postings in, ascending, and makes arrays of them. What it has room for is used again. */
export class PostingList {
  #numbers = new Int32Array(256);
  #titles = new Uint8Array(256);
  #bodies = new Uint16Array(256);
  #places = new Uint16Array(1024);
  #marks = new Uint32Array(256 / MARKED);
  #count = 0;
  #placed = 0;

  clear(): void {
    this.#count = 0;
    this.#placed = 0;
    // Room for a word of very many units is not kept.
    if (this.#places.length > KEPT_PLACES) this.#places = new Uint16Array(1024);
    if (this.#numbers.length <= KEPT_ROWS) return;
    this.#numbers = new Int32Array(256);
    this.#titles = new Uint8Array(256);
    this.#bodies = new Uint16Array(256);
    this.#marks = new Uint32Array(256 / MARKED);
  }

  /**
   * Rows behind `after` that are not gone, at about 20 ns each. False when it is not what FTS5 writes, or does not go on from
   * what was taken in before.
   */
  take({ bytes, absolutes }: Doclist, after: number, gone: ReadonlySet<number>): boolean {
    const end = bytes.length;
    this.#reserve(Math.ceil(end / LEAST_BYTES), end);
    const mayBeGone = gone.size > 0;
    let at = 0;
    let absolute = 0;
    let whole = absolutes[0] ?? -1;
    let number = 0;
    let last = this.#count > 0 ? this.#numbers[this.#count - 1]! : 0;
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
      byte = bytes[at++] ?? 0x80;
      let size = byte & 0x7f;
      while (byte >= 0x80 && at < end) {
        byte = bytes[at++]!;
        size = size * 128 + (byte & 0x7f);
      }
      const stop = at + (size >>> 1);
      // An odd size marks a deletion, for which this kind of table has tombstones.
      if (stop > end || (size & 1) === 1 || number <= last) return false;
      last = number;
      if (number > after && !(mayBeGone && gone.has(number))) this.#add(number, bytes, at, stop);
      at = stop;
    }
    return true;
  }

  /** One place of a unit, from 1; those of a unit side by side, the title's first. */
  addPlace(number: number, isTitle: boolean, place: number): void {
    this.#reserve(1, 1);
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
    this.#places[this.#placed++] = Math.min(place, LAST_PLACE);
  }

  /** What was taken in, in arrays of its own. */
  postings(): Postings {
    const titles = this.#titles.slice(0, this.#count);
    const bodies = this.#bodies.slice(0, this.#count);
    const marks = this.#marks.slice(0, Math.ceil(this.#count / MARKED));
    const places = { all: this.#places.slice(0, this.#placed), marks };
    return { numbers: this.#numbers.slice(0, this.#count), titles, bodies, places };
  }

  #add(number: number, bytes: Uint8Array, from: number, stop: number): void {
    const places = this.#places;
    let at = from;
    let column = TITLE;
    let place = 0;
    let titles = 0;
    let bodies = 0;
    let placed = this.#placed;
    while (at < stop) {
      let byte = bytes[at++]!;
      let value = byte & 0x7f;
      while (byte >= 0x80 && at < stop) {
        byte = bytes[at++]!;
        value = value * 128 + (byte & 0x7f);
      }
      if (value === COLUMN) {
        column = bytes[at++]!;
        place = 0;
        continue;
      }
      place += value - 2;
      if (column === TITLE) {
        if (titles === MOST_IN_TITLE) continue;
        titles++;
      } else {
        if (bodies === MOST_IN_BODY) continue;
        bodies++;
      }
      places[placed++] = place < LAST_PLACE ? place + 1 : LAST_PLACE;
    }
    const row = this.#count++;
    if (row % MARKED === 0) this.#marks[row / MARKED] = this.#placed;
    this.#numbers[row] = number;
    this.#titles[row] = titles;
    this.#bodies[row] = bodies;
    this.#placed = placed;
  }

  #reserve(more: number, morePlaces: number): void {
    const rows = this.#count + more;
    if (rows > this.#numbers.length) {
      this.#numbers = wider(this.#numbers, new Int32Array(rows * 2));
      this.#titles = wider(this.#titles, new Uint8Array(rows * 2));
      this.#bodies = wider(this.#bodies, new Uint16Array(rows * 2));
      this.#marks = wider(this.#marks, new Uint32Array(Math.ceil((rows * 2) / MARKED)));
    }
    const places = this.#placed + morePlaces;
    if (places > this.#places.length) this.#places = wider(this.#places, new Uint16Array(places * 2));
  }
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

function wider<T extends Int32Array | Uint8Array | Uint16Array | Uint32Array>(old: T, into: T): T {
  into.set(old);
  return into;
}
