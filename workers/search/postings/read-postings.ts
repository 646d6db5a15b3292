import type { IndexReader } from "../index-reader.ts";
import { PostingList } from "./posting-list.ts";
import { B, K1, NO_POSTINGS, type Postings } from "./postings.ts";
import type { FieldLengths } from "./unit-lengths.ts";

/** One text for all places of a term: 0.4 µs a unit, where a row for each would take 1.2. */
const OF_TERM = `
  SELECT group_concat(((doc * 2 + (col = 'title')) << 16) | min(offset + 1, 65535))
  FROM temp.word_instance WHERE term = ? AND doc > ?`;
/**
 * FTS5 says no counts, but scores them: of scores with several weights the rarity of what was asked for cancels out.
 * Numbers of JavaScript are bound as REAL, by which FTS5 skips nothing: it would read all postings for the newest few.
 */
const OF_MATCH = `
  SELECT rowid, bm25(unit_words, 1, 1), bm25(unit_words, 2, 2), bm25(unit_words, 0, 1)
  FROM unit_words WHERE unit_words MATCH ? AND rowid > CAST(? AS INTEGER) ORDER BY rowid`;

const PLACE = 0x1_0000;
const MOST = 0xffff;
const MOST_IN_TITLE = 0xff;

/** Of one term as the index has it, behind a number, as FTS5 tells it: for pages that can't be read (fts5/word-pages.ts). */
export function readTerm(reader: IndexReader, term: string, after: number): Postings {
  const text = reader.statement(OF_TERM).pluck().get(term, after) as string | null;
  if (text === null) return NO_POSTINGS;
  const list = new PostingList();
  for (const value of text.split(",").map(Number)) {
    const field = Math.floor(value / PLACE);
    list.addPlace(Math.floor(field / 2), field % 2 === 1, value % PLACE);
  }
  return list.postings();
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
