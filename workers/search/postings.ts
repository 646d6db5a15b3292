import type { IndexReader } from "./index-reader.ts";

/** Where a word or phrase stands: unit numbers, ascending, and how much of it is in each. */
export interface Postings {
  readonly numbers: Int32Array;
  /** Times in the body, and twice the times in the title, which weighs as much as two of the body. */
  readonly counts: Uint16Array;
}

export const TITLE_WEIGHT = 2;
/** BM25's constants, as FTS5 has them. */
export const K1 = 1.2;
export const B = 0.75;

/** What length makes of a unit's counts: f · (k1 + 1) / (f + norm). */
export interface Norms {
  readonly words: Int32Array;
  readonly average: number;
}

export const NO_POSTINGS: Postings = { numbers: new Int32Array(), counts: new Uint16Array() };

/** One text for all places of a term: 0.3 µs a unit, where a row for each would take 1.2. */
const OF_TERM = "SELECT group_concat(doc * 2 + (col = 'title')) FROM temp.word_instance WHERE term = ?";
/**
 * FTS5 says no counts, but scores them: with two weights two scores, from whose ratio the rarity of what was asked for
 * cancels out.
 */
const OF_MATCH = `
  SELECT rowid, bm25(unit_words, ${TITLE_WEIGHT}, 1), bm25(unit_words, ${2 * TITLE_WEIGHT}, 2)
  FROM unit_words WHERE unit_words MATCH ? AND rowid > ? ORDER BY rowid`;

const COMMA = 44;
const MOST = 0xffff;

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
  { words, average }: Norms,
): Postings {
  const rows = reader.statement(OF_MATCH).raw().all(match, after) as [number, number, number][];
  const numbers = new Int32Array(rows.length);
  const counts = new Uint16Array(rows.length);
  rows.forEach(([number, once, twice], at) => {
    numbers[at] = number;
    const norm = K1 * (1 - B + (B * (words[number] ?? 0)) / average);
    const ratio = twice / once;
    counts[at] = Math.min(MOST, Math.max(1, Math.round((norm * (2 - ratio)) / (2 * (ratio - 1)))));
  });
  return { numbers, counts };
}

export function joinPostings(first: Postings, second: Postings): Postings {
  if (second.numbers.length === 0) return first;
  const numbers = new Int32Array(first.numbers.length + second.numbers.length);
  const counts = new Uint16Array(numbers.length);
  numbers.set(first.numbers);
  numbers.set(second.numbers, first.numbers.length);
  counts.set(first.counts);
  counts.set(second.counts, first.counts.length);
  return { numbers, counts };
}

/** `<2 · number + (1 in the title)>,…`: one for each place, those of a unit side by side, ascending. */
function parsePlaces(text: string): Postings {
  let places = 1;
  for (let at = text.indexOf(","); at !== -1; at = text.indexOf(",", at + 1)) places++;
  const numbers = new Int32Array(places);
  const counts = new Uint16Array(places);
  let last = -1;
  let value = 0;
  const put = (): void => {
    const number = Math.floor(value / 2);
    if (last < 0 || numbers[last] !== number) numbers[++last] = number;
    counts[last] = Math.min(MOST, counts[last]! + (value % 2 === 1 ? TITLE_WEIGHT : 1));
    value = 0;
  };
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === COMMA) put();
    else value = value * 10 + code - 48;
  }
  put();
  return { numbers: numbers.slice(0, last + 1), counts: counts.slice(0, last + 1) };
}
