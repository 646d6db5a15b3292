import {
  loadWordMeanings,
  type ModelFiles,
  type WordMeaning,
  type WordMeanings,
} from "../embed/word-meanings.ts";
import { stopWords } from "../words/stop-words.ts";
import type { IndexReader } from "./index-reader.ts";
import { between } from "./lane-weights.ts";
import type { LaneHit } from "./vector-lane.ts";

/**
 * A vector of a whole passage blurs what its words mean. Where the words of a query are unsure, the nearest passages are
 * read: each word of the query looks for the word of the passage that means most nearly the same, with other words for both.
 */

/** Passages that are read: of the nearest, and of what the words rank first. 120 of them found three of a hundred more. */
const READ_NEAREST = 40;
const READ_BY_WORDS = 10;
/** Words of a query and of a passage that are compared; a passage of a thousand characters has some 90 different ones. */
const QUERY_WORDS = 16;
const PASSAGE_WORDS = 160;
/** Characters of a passage that are read. */
const PASSAGE_CHARACTERS = 4000;
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
  numbers: Iterable<number>,
): Reading | null {
  const most = doubted * between((NEAR - nearest) / NEARLY);
  const asked = most > 0 ? wordsOf(meanings, query, QUERY_WORDS).telling : [];
  if (asked.length === 0) return null;
  const compare = createComparison(asked);
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
  /** Of the telling words, each as often as it is said. */
  readonly telling: readonly WordMeaning[];
  /** Of all words, and of the small ones that tell nothing. */
  readonly words: number;
  readonly small: number;
}

/** Of a text's beginning, up to so many different telling words. */
function wordsOf(meanings: WordMeanings, text: string, most: number): Words {
  const seen = new Set<string>();
  const telling: WordMeaning[] = [];
  let words = 0;
  let small = 0;
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    words++;
    if (stopWords.has(word)) {
      small++;
      continue;
    }
    if (!seen.has(word) && seen.size >= most) break;
    seen.add(word);
    const meaning = meanings.of(word);
    if (meaning) telling.push(meaning);
  }
  return { telling, words, small };
}

/** Compares passages with a query; what a word means for the query is worked out once. */
function createComparison(asked: readonly WordMeaning[]): (passage: readonly WordMeaning[]) => number {
  const whole = sumOf(asked);
  const weights = asked.reduce((sum, { weight }) => sum + weight, 0);
  const nearness = new Map<WordMeaning, Float64Array>();
  const nearTo = (word: WordMeaning): Float64Array => {
    const known = nearness.get(word);
    if (known) return known;
    const near = Float64Array.from(asked, ({ direction }) => Math.min(SAME, dot(direction, word.direction)));
    nearness.set(word, near);
    return near;
  };
  return (passage) => {
    const best = new Float64Array(asked.length);
    for (const word of passage) {
      const near = nearTo(word);
      for (let at = 0; at < best.length; at++) if (near[at]! > best[at]!) best[at] = near[at]!;
    }
    const pairs = asked.reduce((sum, { weight }, at) => sum + weight * best[at]!, 0) / weights;
    return (1 - PAIRS) * Math.max(0, cosine(whole, sumOf(passage))) + PAIRS * pairs;
  };
}

function sumOf(words: readonly WordMeaning[]): Float64Array {
  const sum = new Float64Array(words[0]?.direction.length ?? 0);
  for (const { direction, weight } of words)
    for (let at = 0; at < sum.length; at++) sum[at]! += weight * direction[at]!;
  return sum;
}

function cosine(a: Float64Array, b: Float64Array): number {
  const lengths = Math.sqrt(dot(a, a) * dot(b, b));
  return lengths === 0 ? 0 : dot(a, b) / lengths;
}

function dot(a: Float32Array | Float64Array, b: Float32Array | Float64Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += a[at]! * b[at]!;
  return sum;
}
