/**
 * Where a word stands in each unit that holds it, as FTS5 writes it: a byte or two a place. Few of them are ever asked for,
 * so each is made out when it is.
 */
export interface Places {
  /**
   * Unit after unit the places in its title, then those in its body: of each field, ascending, the difference to the place
   * before and 2, as variable-length integers; the first place of a field is 0.
   */
  readonly bytes: Uint8Array;
  /** Where those of each 16th unit begin. */
  readonly marks: Uint32Array;
}

/** How often a word stands in the title and in the body of each unit. */
interface Counts {
  readonly titles: Uint8Array;
  readonly bodies: Uint16Array;
}

/** Units from one mark to the next: with 64 the places of a hit's words take twice the time. */
export const MARKED = 16;
/** Places told are from 1 to this; what stands farther behind is told as standing here. */
export const LAST_PLACE = 0xffff;

/** The places of the unit at a row: first those in its title, then those in its body, each ascending. */
export function readPlaces(counts: Counts, places: Places, row: number, into: Uint16Array): void {
  const { bytes } = places;
  const titles = counts.titles[row]!;
  const body = readField(bytes, startOf(counts, places, row), titles, into, 0);
  readField(bytes, body, counts.bodies[row]!, into, titles);
}

/** The first place in title and body of the unit at a row; 0 where there is none. */
export function firstPlaces(counts: Counts, places: Places, row: number): [title: number, body: number] {
  const { bytes } = places;
  const start = startOf(counts, places, row);
  const titles = counts.titles[row]!;
  const title = titles > 0 ? placeAt(bytes, start) : 0;
  return [title, counts.bodies[row]! > 0 ? placeAt(bytes, behind(bytes, start, titles)) : 0];
}

/** Writes the marks of places, of which the first are known. */
export function fillMarks(counts: Counts, { bytes, marks }: Places, known: Uint32Array): void {
  marks.set(known);
  for (let mark = Math.max(1, known.length); mark < marks.length; mark++)
    marks[mark] = startBehind(counts, { bytes, marks }, mark - 1, mark * MARKED);
}

function startOf(counts: Counts, places: Places, row: number): number {
  return startBehind(counts, places, Math.floor(row / MARKED), row);
}

/** Where those of the unit at a row begin, looked for from a mark on. */
function startBehind(
  { titles, bodies }: Counts,
  { bytes, marks }: Places,
  mark: number,
  row: number,
): number {
  let count = 0;
  for (let at = mark * MARKED; at < row; at++) count += titles[at]! + bodies[at]!;
  return behind(bytes, marks[mark]!, count);
}

/** What comes behind so many integers. */
function behind(bytes: Uint8Array, from: number, count: number): number {
  let at = from;
  for (let left = count; left > 0 && at < bytes.length;) if (bytes[at++]! < 0x80) left--;
  return at;
}

/** Answers what comes behind them. */
function readField(bytes: Uint8Array, from: number, count: number, into: Uint16Array, first: number): number {
  let at = from;
  let place = 1;
  for (let index = first; index < first + count; index++) {
    let byte = bytes[at++]!;
    let value = byte & 0x7f;
    while (byte >= 0x80) {
      byte = bytes[at++]!;
      value = value * 128 + (byte & 0x7f);
    }
    place += value - 2;
    into[index] = place < LAST_PLACE ? place : LAST_PLACE;
  }
  return at;
}

const one = new Uint16Array(1);

function placeAt(bytes: Uint8Array, at: number): number {
  readField(bytes, at, 1, one, 0);
  return one[0]!;
}
