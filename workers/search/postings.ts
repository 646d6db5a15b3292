import type { IndexReader } from "./index-reader.ts";
import type { FieldLengths } from "./unit-lengths.ts";

/** Where a word or phrase stands: unit numbers, ascending, and of each how often and where. */
export interface Postings {
  readonly numbers: Int32Array;
  /** Times in the title, at most 255, and in the body, at most 65,535. */
  readonly titles: Uint8Array;
  readonly bodies: Uint16Array;
  /**
   * Two for each number: the first place in the title and in the body, from 1, 0 where there is none. Null for a phrase, and
   * for a word that stands in more than PLACED_UNITS.
   */
  readonly places: Uint16Array | null;
}

/** BM25's constants, as FTS5 has them. */
export const K1 = 1.2;
export const B = 0.75;
/** A word in so many units tells little by what stands beside it. Reading its places anew takes some 10 ms. */
export const PLACED_UNITS = 20_000;

export const NO_POSTINGS: Postings = {
  numbers: new Int32Array(),
  titles: new Uint8Array(),
  bodies: new Uint16Array(),
  places: new Uint16Array(),
};

/** One text for all places of a term: 0.4 µs a unit, where a row for each would take 1.2. */
const OF_TERM = `
  SELECT group_concat(((doc * 2 + (col = 'title')) << 16) | min(offset + 1, 65535))
  FROM temp.word_instance WHERE term = ?`;
/**
 * FTS5 says no counts, but scores them: of scores with several weights the rarity of what was asked for cancels out.
 * Numbers of JavaScript are bound as REAL, by which FTS5 skips nothing: it would read all postings for the newest few.
 */
const OF_MATCH = `
  SELECT rowid, bm25(unit_words, 1, 1), bm25(unit_words, 2, 2), bm25(unit_words, 0, 1)
  FROM unit_words WHERE unit_words MATCH ? AND rowid > CAST(? AS INTEGER) ORDER BY rowid`;

const COMMA = 44;
const PLACE = 0x1_0000;
const MOST = 0xffff;
const MOST_IN_TITLE = 0xff;

/** Of one term as the index has it. */
export function readTerm(reader: IndexReader, term: string): Postings {
  const text = reader.statement(OF_TERM).pluck().get(term) as string | null;
  return text === null ? NO_POSTINGS : parsePlaces(text);
}

/** Of an FTS5 expression of one phrase, behind a number. */
export function readMatch(
  reader: IndexReader,
  match: string,
  after: number,
  { titles: lengths, bodies: lengthsOfBodies, averageTitle, averageBody }: FieldLengths,
): Postings {
  const rows = reader.statement(OF_MATCH).raw().all(match, after) as [number, number, number, number][];
  const numbers = new Int32Array(rows.length);
  const titles = new Uint8Array(rows.length);
  const bodies = new Uint16Array(rows.length);
  rows.forEach(([number, once, twice, body], at) => {
    numbers[at] = number;
    const words = (lengths[number] ?? 0) + (lengthsOfBodies[number] ?? 0);
    const norm = K1 * (1 - B + (B * words) / (averageTitle + averageBody));
    // score = r · f / (f + norm), so f = norm · (2 − q) / (2 · (q − 1)) where q is the ratio of the scores of 2f and f.
    const ratio = twice / once;
    const all = Math.max(1, Math.round((norm * (2 - ratio)) / (2 * (ratio - 1))));
    const share = ((body / once) * all) / (all + norm);
    const inBody = body === 0 ? 0 : Math.min(all, Math.round((norm * share) / (1 - share)));
    bodies[at] = Math.min(MOST, inBody);
    titles[at] = Math.min(MOST_IN_TITLE, all - inBody);
  });
  return { numbers, titles, bodies, places: null };
}

/** The second stands behind the first; its places, if it has any, are not taken over. */
export function joinPostings(first: Postings, second: Postings): Postings {
  if (second.numbers.length === 0) return first;
  const split = first.numbers.length;
  const length = split + second.numbers.length;
  const numbers = new Int32Array(length);
  const titles = new Uint8Array(length);
  const bodies = new Uint16Array(length);
  numbers.set(first.numbers);
  numbers.set(second.numbers, split);
  titles.set(first.titles);
  titles.set(second.titles, split);
  bodies.set(first.bodies);
  bodies.set(second.bodies, split);
  const places = first.places && new Uint16Array(2 * length);
  if (first.places) places?.set(first.places);
  return { numbers, titles, bodies, places };
}

/** Bytes that the arrays take. */
export function sizeOf({ numbers, titles, bodies, places }: Postings): number {
  return numbers.byteLength + titles.byteLength + bodies.byteLength + (places?.byteLength ?? 0);
}

/** `<(2 · number + (1 in the title)) · 65,536 + place>,…`: those of a unit side by side, ascending, the title's first. */
function parsePlaces(text: string): Postings {
  let length = 1;
  for (let at = text.indexOf(","); at !== -1; at = text.indexOf(",", at + 1)) length++;
  const numbers = new Int32Array(length);
  const titles = new Uint8Array(length);
  const bodies = new Uint16Array(length);
  const places = new Uint16Array(2 * length);
  let last = -1;
  let value = 0;
  const put = (): void => {
    const field = Math.floor(value / PLACE);
    const number = Math.floor(field / 2);
    if (last < 0 || numbers[last] !== number) numbers[++last] = number;
    const isTitle = field % 2 === 1;
    const slot = 2 * last + (isTitle ? 0 : 1);
    if (places[slot] === 0) places[slot] = value % PLACE;
    if (isTitle) titles[last] = Math.min(MOST_IN_TITLE, titles[last]! + 1);
    else bodies[last] = Math.min(MOST, bodies[last]! + 1);
    value = 0;
  };
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === COMMA) put();
    else value = value * 10 + code - 48;
  }
  put();
  const units = last + 1;
  return {
    numbers: numbers.slice(0, units),
    titles: titles.slice(0, units),
    bodies: bodies.slice(0, units),
    places: units > PLACED_UNITS ? null : places.slice(0, 2 * units),
  };
}
