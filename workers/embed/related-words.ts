import { readFileSync } from "node:fs";
import { endianness } from "node:os";
import { buildVocabulary } from "./vocabulary.ts";

/** Words that mean something near a word: their places in the embedded model's list, and what each counts, 1 to 255. */
export interface RelatedList {
  readonly places: Uint16Array;
  readonly weights: Uint8Array;
}

/** What WordNet says of English words: other words for it, broader and narrower ones, words of its definition. */
export interface RelatedWords {
  /** Null for a word without any; `place` is the word's own in the model's list, null where it has none. */
  of(word: string, place: number | null): RelatedList | null;
  /** Whether it knows a word that the model does not. */
  has(word: string): boolean;
}

const HEAD_BYTES = 12;

/**
 * Three uint32, little-endian: words that the model knows, other words, entries. Then of all entries the places (uint16) and
 * the weights (uint8); of all words, the model's first, how many entries they have (uint8); the other words, a line each.
 * Throws when the file is not that.
 */
export function readRelatedWords(path: string): RelatedWords {
  const bytes = readFileSync(path);
  if (bytes.length < HEAD_BYTES) throw damaged(path);
  const [known, others, entries] = [0, 4, 8].map((at) => bytes.readUInt32LE(at)) as [number, number, number];
  const weightsAt = HEAD_BYTES + 2 * entries;
  const countsAt = weightsAt + entries;
  const wordsAt = countsAt + known + others;
  if (bytes.length < wordsAt) throw damaged(path);
  const counts = bytes.subarray(countsAt, wordsAt);
  const starts = startsOf(counts);
  const text = bytes.toString("latin1", wordsAt);
  const words = others === 0 ? [] : text.split("\n");
  if (starts.at(-1) !== entries || words.length !== others) throw damaged(path);
  const places = placesOf(bytes.subarray(HEAD_BYTES, weightsAt));
  const weights = new Uint8Array(bytes.subarray(weightsAt, countsAt));
  const vocabulary = buildVocabulary(words);
  return {
    of(word, place) {
      const other = place === null ? vocabulary.find(word, 0, word.length) : -1;
      const row = place ?? (other < 0 ? null : known + other);
      if (row === null || row >= counts.length) return null;
      const [from, to] = [starts[row]!, starts[row + 1]!];
      return from === to ? null : { places: places.subarray(from, to), weights: weights.subarray(from, to) };
    },
    has: (word) => vocabulary.find(word, 0, word.length) >= 0,
  };
}

function startsOf(counts: Uint8Array): Uint32Array {
  const starts = new Uint32Array(counts.length + 1);
  for (let at = 0; at < counts.length; at++) starts[at + 1] = starts[at]! + counts[at]!;
  return starts;
}

/** A copy: a Uint16Array must start at an even byte. */
function placesOf(bytes: Uint8Array): Uint16Array {
  const copy = Buffer.from(bytes);
  if (endianness() === "BE") copy.swap16();
  return new Uint16Array(new Uint8Array(copy).buffer);
}

function damaged(path: string): Error {
  return new Error(`${path}: not the list of related words: the file is damaged`);
}
