import { readFileSync } from "node:fs";
import { endianness } from "node:os";
import type { EmbedInput, EmbedOutput } from "../contract.ts";
import { forEachWord, isLatin } from "./characters.ts";
import { buildVocabulary, type Vocabulary } from "./vocabulary.ts";

export const STATIC_DIMENSIONS = 128;
const DIMENSIONS = STATIC_DIMENSIONS;
const WORD_ROWS = 60_000;
/** Rows after the words': the 4-grams of unknown words, by hash. A power of two. */
const GRAM_ROWS = 8_192;
const ROWS = WORD_ROWS + GRAM_ROWS;
const GRAM_LENGTH = 4;
/** Characters of an unknown word that count; the rest of a longer one says no more. */
const MAX_PART_CHARACTERS = 24;
const BEFORE = 0x3c;
const AFTER = 0x3e;

export interface StaticModel {
  readonly dimensions: 128;
  /** L2-normalised; all zero for a text without a word that the model knows anything of. */
  embed(text: string): Float32Array;
  /** How common a word is in English: its place among the words that the model knows, from 0; null for any other. */
  readonly placeOf: (word: string) => number | null;
  /** The same of the word in lower case that stands in a text; -1 for one that the model does not know. */
  readonly placeIn: (text: string, start: number, end: number) => number;
  /** Adds a word's vector, not normalised, to `into`; nothing of a word that the model knows nothing of. */
  readonly addWord: (word: string, into: Float64Array) => void;
  /** The same, `weight` times, of the word at a place among those that the model knows. */
  readonly addPlace: (place: number, weight: number, into: Float64Array) => void;
  /** texts.length × dimensions, row after row. */
  embedAll(texts: readonly string[]): Float32Array;
}

/** A word's vector is its row of `values` times its scale. */
interface Table {
  readonly scales: Float32Array;
  readonly values: Int8Array;
}

const loaded = new Map<string, StaticModel>();

/** Loads the model once for each pair of paths in this thread. Throws when the files are not the model's two. */
export function loadStaticModel(files: { modelPath: string; vocabularyPath: string }): StaticModel {
  const key = `${files.modelPath}\0${files.vocabularyPath}`;
  let model = loaded.get(key);
  if (!model) {
    model = createModel(readTable(files.modelPath), readVocabulary(files.vocabularyPath));
    loaded.set(key, model);
  }
  return model;
}

/** The worker host's task `texts.embed`. */
export function embedTexts(input: EmbedInput): EmbedOutput {
  const model = loadStaticModel(input);
  return { dimensions: model.dimensions, vectors: model.embedAll(input.texts) };
}

function createModel(table: Table, vocabulary: Vocabulary): StaticModel {
  const sum = new Float64Array(DIMENSIONS);
  const embedInto = (text: string, out: Float32Array, at: number): void => {
    sum.fill(0);
    addWords(text.toLowerCase(), table, vocabulary, sum);
    normaliseInto(sum, out, at);
  };
  return {
    dimensions: DIMENSIONS,
    embed(text) {
      const vector = new Float32Array(DIMENSIONS);
      embedInto(text, vector, 0);
      return vector;
    },
    placeOf(word) {
      const row = vocabulary.find(word.toLowerCase(), 0, word.length);
      return row < 0 ? null : row;
    },
    placeIn: (text, start, end) => vocabulary.find(text, start, end),
    addWord: (word, into) => addWords(word.toLowerCase(), table, vocabulary, into),
    addPlace: (place, weight, into) => addRow(place, table, into, weight),
    embedAll(texts) {
      const vectors = new Float32Array(texts.length * DIMENSIONS);
      texts.forEach((text, index) => embedInto(text, vectors, index * DIMENSIONS));
      return vectors;
    },
  };
}

function addWords(text: string, table: Table, vocabulary: Vocabulary, sum: Float64Array): void {
  forEachWord(text, (start, end) => {
    const row = vocabulary.find(text, start, end);
    if (row === -1) addParts(text, start, end, table, sum);
    else addRow(row, table, sum);
  });
}

const part = new Int32Array(MAX_PART_CHARACTERS + 2);

/**
 * An unknown word is the sum of its 4-grams. One with a character that is not Latin adds nothing: its hashes would land on
 * rows that were learnt from English word parts, which is noise.
 */
function addParts(text: string, start: number, end: number, table: Table, sum: Float64Array): void {
  part[0] = BEFORE;
  let length = 1;
  for (let at = start; at < end; at++) {
    const codePoint = text.charCodeAt(at);
    if (!isLatin(codePoint)) return;
    if (length <= MAX_PART_CHARACTERS) part[length++] = codePoint;
  }
  part[length++] = AFTER;
  for (let from = 0; from + GRAM_LENGTH <= length; from++) {
    addRow(WORD_ROWS + (gramHash(from) & (GRAM_ROWS - 1)), table, sum);
  }
}

/** 32-bit FNV-1a over the code points of the 4-gram at `from`. */
function gramHash(from: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < from + GRAM_LENGTH; at++) hash = Math.imul(hash ^ part[at]!, 0x01000193);
  return hash;
}

function addRow(row: number, table: Table, sum: Float64Array, weight = 1): void {
  const scale = weight * table.scales[row]!;
  const { values } = table;
  const from = row * DIMENSIONS;
  for (let at = 0; at < DIMENSIONS; at++) sum[at]! += scale * values[from + at]!;
}

function normaliseInto(sum: Float64Array, out: Float32Array, from: number): void {
  let square = 0;
  for (let at = 0; at < DIMENSIONS; at++) square += sum[at]! * sum[at]!;
  if (square === 0) return;
  const factor = 1 / Math.sqrt(square);
  for (let at = 0; at < DIMENSIONS; at++) out[from + at] = sum[at]! * factor;
}

function readTable(path: string): Table {
  const bytes = readFileSync(path);
  const expected = ROWS * 4 + ROWS * DIMENSIONS;
  if (bytes.length !== expected) {
    throw new Error(`${path}: ${bytes.length} bytes, but the model has ${expected}: the file is damaged`);
  }
  if (endianness() === "BE") bytes.subarray(0, ROWS * 4).swap32();
  // A Float32Array must start at a multiple of four.
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
  return {
    scales: new Float32Array(aligned.buffer, aligned.byteOffset, ROWS),
    values: new Int8Array(aligned.buffer, aligned.byteOffset + ROWS * 4, ROWS * DIMENSIONS),
  };
}

function readVocabulary(path: string): Vocabulary {
  const words: unknown = JSON.parse(readFileSync(path, "utf8"));
  if (!Array.isArray(words) || words.length !== WORD_ROWS || words.some((word) => typeof word !== "string")) {
    throw new Error(`${path}: not the model's list of ${WORD_ROWS} words: the file is damaged`);
  }
  return buildVocabulary(words as string[]);
}
