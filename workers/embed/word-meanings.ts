import { readRelatedWords, type RelatedWords } from "./related-words.ts";
import { loadStaticModel, type StaticModel } from "./static-model.ts";

/** The embedded model's files, and the list of related words beside them. */
export interface ModelFiles {
  readonly modelPath: string;
  readonly vocabularyPath: string;
  readonly relatedPath: string;
}

export interface WordMeaning {
  /** Of length 1: the word's own vector and those of the words that mean something near it. */
  readonly direction: Float32Array;
  /** How much the word tells: the length of its own vector. */
  readonly weight: number;
}

export interface WordMeanings {
  /** Null for a word that neither the model nor the list knows anything of. Lower case. */
  of(word: string): WordMeaning | null;
}

/**
 * How long the related words' vector is beside the word's own. From .25 to 1 measured alike; without it, of a hundred
 * questions that share no word with their passages 12 fewer find them among the first three of 620.
 */
const RELATED = 0.5;
/** Weight of a word that only the list knows: the mean of the model's rarer words. */
const RARE_WEIGHT = 1;
/** Some 5 MB; a search looks up a thousand. */
const MOST_KEPT = 8192;

/** Characters of the longest word that is looked up: hashes and the like mean nothing. */
const LONGEST = 48;

const loaded = new Map<string, WordMeanings>();

/** Loads both once for these paths in this thread. Throws when a file is not what it should be. */
export function loadWordMeanings(files: ModelFiles): WordMeanings {
  const key = `${files.modelPath}\0${files.relatedPath}`;
  let meanings = loaded.get(key);
  if (!meanings) {
    meanings = createWordMeanings(loadStaticModel(files), readRelatedWords(files.relatedPath));
    loaded.set(key, meanings);
  }
  return meanings;
}

function createWordMeanings(model: StaticModel, related: RelatedWords): WordMeanings {
  const kept = new Map<string, WordMeaning | null>();
  const isKnown = (word: string): boolean => model.placeOf(word) !== null || related.has(word);
  return {
    of(word) {
      if (word.length > LONGEST) return null;
      const known = kept.get(word);
      if (known !== undefined) return known;
      const base = isKnown(word) ? word : (uninflected(word).find(isKnown) ?? word);
      const meaning = meaningOf(model, related, base);
      if (kept.size >= MOST_KEPT) kept.clear();
      kept.set(word, meaning);
      return meaning;
    },
  };
}

function meaningOf(model: StaticModel, related: RelatedWords, word: string): WordMeaning | null {
  const place = model.placeOf(word);
  const list = related.of(word, place);
  const own = new Float64Array(model.dimensions);
  // What a word's parts say is less than what it is said to mean.
  if (place !== null || !list) model.addWord(word, own);
  const others = new Float64Array(model.dimensions);
  list?.places.forEach((other, at) => model.addPlace(other, list.weights[at]!, others));
  const [weight, length] = [lengthOf(own), lengthOf(others)];
  const share = length === 0 ? 0 : (weight === 0 ? 1 : RELATED * weight) / length;
  const sum = own.map((value, at) => value + share * others[at]!);
  const whole = lengthOf(sum);
  if (whole === 0) return null;
  return { direction: Float32Array.from(sum, (value) => value / whole), weight: weight || RARE_WEIGHT };
}

/** What an English word that nobody knows may be a form of. */
function uninflected(word: string): string[] {
  const endings = [
    ["ies", "y"],
    ["es", ""],
    ["s", ""],
    ["ing", ""],
    ["ing", "e"],
    ["ied", "y"],
    ["ed", ""],
    ["ed", "e"],
  ] as const;
  const forms = endings.flatMap(([end, other]) =>
    word.endsWith(end) ? [word.slice(0, -end.length) + other] : [],
  );
  // "tapping", "tapped"
  const doubled = /(?:ing|ed)$/.exec(word);
  if (doubled) forms.push(word.slice(0, doubled.index - 1));
  return forms.filter(({ length }) => length > 2);
}

function lengthOf(vector: Float64Array): number {
  let square = 0;
  for (const value of vector) square += value * value;
  return Math.sqrt(square);
}
