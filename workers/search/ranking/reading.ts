import { forEachWord } from "../../embed/characters.ts";
import { loadWordMeanings, type ModelFiles, type WordMeanings } from "../../embed/word-meanings.ts";
import { stopWords } from "../../words/stop-words.ts";
import type { IndexReader } from "../index-reader.ts";
import { between } from "./lane-weights.ts";
import type { LaneHit } from "../vectors/vector-lane.ts";

/**
 * A vector of a whole passage blurs what its words mean. Where the words of a query are unsure, the nearest passages are
 * read: each word of the query looks for the word of the passage that means most nearly the same, with other words for both.
 */

/**
 * Passages that are read: of the nearest, and of what the words rank first. With 20 of the nearest two of a hundred
 * paraphrases fewer are found, with 40 two more for twice the time.
 */
const READ_NEAREST = 25;
const READ_BY_WORDS = 5;
/** Words of a query and of a passage that are compared; those of a passage stand in some 600 characters. */
const QUERY_WORDS = 16;
const PASSAGE_WORDS = 48;
/** Characters of a passage that are read at most. */
const PASSAGE_CHARACTERS = 2000;
/** Of a query's words so many must be known: what is asked in names has no other words. */
const KNOWN = 0.5;
const LONGEST_STOP_WORD = Math.max(...Array.from(stopWords, ({ length }) => length));
/**
 * The same word counts no more than one that means the same: what is asked for in other words must not lose to what has
 * "make" or "keep" by chance. .4 to .6 measured alike; without, a third fewer paraphrases stand first.
 */
const SAME = 0.5;
/** What pairs of words count beside all words together; .5 to .7 measured alike, less at either end. */
const PAIRS = 0.6;

/**
 * Words mean something in sentences; names of code do not mean what their letters say. Of a sentence's words 40 % say how
 * things hang together ("of", "when"); passages of manuals with examples have a third of such words, of code a tenth. Up to
 * CODE what was read counts nothing, from SENTENCES on all of it.
 */
const CODE = 0.15;
const SENTENCES = 0.25;
/**
 * A passage whose vector is this near says what is asked in its own words, and nothing need be read. Of questions that share
 * no word with their passages the nearest vector lies at .24 to .65, half of them below .45; of those that share words half
 * lie above .65.
 */
const NEAR = 0.7;
const NEARLY = 0.1;

const TEXT = `
  SELECT t.text FROM unit_number AS n
  JOIN search_text AS t ON t.target_id = n.unit_id AND t.target_type = 'search_unit' AND t.kind = 'body'
  WHERE n.number = ?`;

/** What passages were read for. */
export interface Reading {
  /** What it counts instead of the cosine, 0 to 1. */
  readonly share: number;
  /** By unit number, 0 to 1; the other units are further away than all of these. */
  readonly meanings: ReadonlyMap<number, number>;
}

/** Cosines of all candidates, with what was read in its place. */
export function withReading(
  cosines: ReadonlyMap<number, number>,
  reading: Reading | null,
): ReadonlyMap<number, number> {
  if (!reading) return cosines;
  const { share, meanings } = reading;
  const least = Math.min(1, ...meanings.values());
  const read = (number: number, cosine: number): number => meanings.get(number) ?? Math.min(cosine, least);
  return new Map(
    [...cosines].map(([number, cosine]) => [number, (1 - share) * cosine + share * read(number, cosine)]),
  );
}

export interface ReadingQuery {
  readonly text: string;
  /** How unsure the words are, 0 to 1. */
  readonly doubted: number;
  /** The cosine of the nearest unit. */
  readonly nearest: number;
}

/**
 * Reads the first of both lanes. With the embedded model alone: `files` null reads nothing, for what words mean to another
 * model is not known here. `failure` says why nothing could be read.
 */
export function readPassages(
  reader: IndexReader,
  files: ModelFiles | null,
  asked: ReadingQuery,
  { near, words }: { near: readonly LaneHit[]; words: readonly LaneHit[] },
): { reading: Reading | null; failure: string | null } {
  if (!files || asked.doubted === 0) return { reading: null, failure: null };
  let meanings: WordMeanings;
  try {
    meanings = loadWordMeanings(files);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { reading: null, failure: `no passage was read for what it means (${reason})` };
  }
  const candidates = [...near.slice(0, READ_NEAREST), ...words.slice(0, READ_BY_WORDS)];
  const numbers = new Set(candidates.map(({ number }) => number));
  return { reading: readUnits(reader, meanings, asked, numbers), failure: null };
}

/** Reads units for what a query means; null when that would count nothing. */
export function readUnits(
  reader: IndexReader,
  meanings: WordMeanings,
  { text: query, doubted, nearest }: ReadingQuery,
  numbers: ReadonlySet<number>,
): Reading | null {
  const most = doubted * between((NEAR - nearest) / NEARLY);
  if (most === 0) return null;
  const room = QUERY_WORDS + numbers.size * PASSAGE_WORDS;
  meanings.begin(room);
  const asked = wordsOf(meanings, query, QUERY_WORDS).telling;
  const known = asked.filter((word) => meanings.isWord(word)).length;
  if (known < KNOWN * asked.length || known === 0) return null;
  const compare = createComparison(meanings, asked, room);
  const read = reader.statement(TEXT).pluck();
  const found = new Map<number, number>();
  let words = 0;
  let small = 0;
  for (const number of numbers) {
    const text = read.get(number) as string | undefined;
    if (text === undefined) continue;
    const passage = wordsOf(meanings, text.slice(0, PASSAGE_CHARACTERS), PASSAGE_WORDS);
    words += passage.words;
    small += passage.small;
    found.set(number, compare(passage.telling));
  }
  const share = most * between((small / Math.max(1, words) - CODE) / (SENTENCES - CODE));
  return share > 0 ? { share, meanings: found } : null;
}

interface Words {
  /** Numbers of the telling ones, each once. */
  readonly telling: readonly number[];
  /** All that were read, and of them the small ones that tell nothing. */
  readonly words: number;
  readonly small: number;
}

/** Of a text's beginning, up to so many telling words. */
function wordsOf(meanings: WordMeanings, text: string, most: number): Words {
  const lower = text.toLowerCase();
  const telling = new Set<number>();
  let words = 0;
  let small = 0;
  forEachWord(lower, (start, end) => {
    words++;
    if (end - start <= LONGEST_STOP_WORD && stopWords.has(lower.slice(start, end))) {
      small++;
      return true;
    }
    const word = meanings.find(lower, start, end);
    if (word >= 0) telling.add(word);
    return telling.size < most;
  });
  return { telling: [...telling], words, small };
}

/** Compares passages with a query; how near a word is to the query's is worked out once. `room`: words of all passages. */
function createComparison(
  meanings: WordMeanings,
  asked: readonly number[],
  room: number,
): (passage: readonly number[]) => number {
  const { length } = asked;
  const whole = sumOf(meanings, asked);
  const weights = asked.map((word) => meanings.weightOf(word));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const nearness = new Float64Array(room * length);
  const rows = new Map<number, number>();
  const rowOf = (word: number): number => {
    const known = rows.get(word);
    if (known !== undefined) return known;
    const row = rows.size * length;
    for (let at = 0; at < length; at++)
      nearness[row + at] = Math.min(SAME, meanings.nearness(asked[at]!, word));
    rows.set(word, row);
    return row;
  };
  return (passage) => {
    const best = new Float64Array(length);
    for (const word of passage) {
      const row = rowOf(word);
      for (let at = 0; at < length; at++) if (nearness[row + at]! > best[at]!) best[at] = nearness[row + at]!;
    }
    const pairs = best.reduce((sum, near, at) => sum + weights[at]! * near, 0) / total;
    return (1 - PAIRS) * Math.max(0, cosine(whole, sumOf(meanings, passage))) + PAIRS * pairs;
  };
}

function sumOf(meanings: WordMeanings, words: readonly number[]): Float64Array {
  const sum = new Float64Array(meanings.dimensions);
  for (const word of words) meanings.addTo(word, sum);
  return sum;
}

function cosine(a: Float64Array, b: Float64Array): number {
  const lengths = Math.sqrt(dot(a, a) * dot(b, b));
  return lengths === 0 ? 0 : dot(a, b) / lengths;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += a[at]! * b[at]!;
  return sum;
}
