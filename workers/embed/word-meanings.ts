import { readRelatedWords, type RelatedList, type RelatedWords } from "./related-words.ts";
import { loadStaticModel, type StaticModel } from "./static-model.ts";

/** The embedded model's files, and the list of related words beside them. */
export interface ModelFiles {
  readonly modelPath: string;
  readonly vocabularyPath: string;
  readonly relatedPath: string;
}

/** Words as directions: each word's own vector and those of the words that mean something near it. */
export interface WordMeanings {
  /** Before so many words are found, 16,384 at most: numbers of words that were found earlier are no longer valid. */
  begin(words: number): void;
  /** A number for the word that stands in a text in lower case; -1 where neither model nor list knows anything of it. */
  find(text: string, start: number, end: number): number;
  /** Whether it is a word, and not only letters that words are made of too. */
  isWord(word: number): boolean;
  /** How much the word tells: the length of its own vector. */
  weightOf(word: number): number;
  /** Cosine of two words. */
  nearness(one: number, other: number): number;
  /** Adds the word's direction, as often as it tells, to a sum of `dimensions` values. */
  addTo(word: number, sum: Float64Array): void;
  readonly dimensions: number;
}

/**
 * How long the related words' vector is beside the word's own. From .25 to 1 measured alike; without it, of a hundred
 * questions that share no word with their passages 12 fewer find them among the first three of 620.
 */
const RELATED = 0.5;
/** Weight of a word that only the list knows: the mean of the model's rarer words. */
const RARE_WEIGHT = 1;
/** Words that are kept, in 136 bytes each; a search looks up two thousand, most of them again and again. */
const MOST_KEPT = 16_384;
const LARGEST = 127;
/** Characters of the longest word that is looked up: hashes and the like mean nothing. */
const LONGEST = 48;
const UNKNOWN = -1;

const loaded = new Map<string, WordMeanings>();

/** Loads both once for these paths in this thread. Throws when a file is not what it should be. */
export function loadWordMeanings(files: ModelFiles): WordMeanings {
  const key = `${files.modelPath}\0${files.vocabularyPath}\0${files.relatedPath}`;
  let meanings = loaded.get(key);
  if (!meanings) {
    meanings = createWordMeanings(loadStaticModel(files), readRelatedWords(files.relatedPath));
    loaded.set(key, meanings);
  }
  return meanings;
}

function createWordMeanings(model: StaticModel, related: RelatedWords): WordMeanings {
  const { dimensions } = model;
  const values = new Int8Array(MOST_KEPT * dimensions);
  const scales = new Float32Array(MOST_KEPT);
  const weights = new Float32Array(MOST_KEPT);
  const areWords = new Uint8Array(MOST_KEPT);
  const places = new Map<number, number>();
  const others = new Map<string, number>();
  let kept = 0;
  const maker = createMaker(model, related);

  /** Keeps what was made last. */
  function keep({ weight, isWord }: Made): number {
    if (weight === 0) return UNKNOWN;
    areWords[kept] = Number(isWord);
    const from = kept * dimensions;
    scales[kept] = 1 / quantise(maker.sum, values.subarray(from, from + dimensions));
    weights[kept] = weight;
    return kept++;
  }

  return {
    dimensions,
    begin(words) {
      if (kept + words <= MOST_KEPT) return;
      kept = 0;
      places.clear();
      others.clear();
    },
    find(text, start, end) {
      const place = model.placeIn(text, start, end);
      if (place < 0 && end - start > LONGEST) return UNKNOWN;
      const word = place < 0 ? text.slice(start, end) : "";
      const known = place < 0 ? others.get(word) : places.get(place);
      if (known !== undefined) return known;
      const found = keep(place < 0 ? maker.ofOther(word) : maker.ofPlace(place));
      // What is not kept takes no room, and so is not remembered: there may be any number of it.
      if (found === UNKNOWN) return UNKNOWN;
      if (place < 0) others.set(word, found);
      else places.set(place, found);
      return found;
    },
    isWord: (word) => areWords[word] === 1,
    weightOf: (word) => weights[word]!,
    nearness(one, other) {
      const [from, to] = [one * dimensions, other * dimensions];
      let sum = 0;
      for (let at = 0; at < dimensions; at++) sum += values[from + at]! * values[to + at]!;
      return sum * scales[one]! * scales[other]!;
    },
    addTo(word, sum) {
      const from = word * dimensions;
      const scale = weights[word]! * scales[word]!;
      for (let at = 0; at < dimensions; at++) sum[at]! += scale * values[from + at]!;
    },
  };
}

interface Made {
  /** How much the word tells; 0 when nothing is known of it. */
  readonly weight: number;
  readonly isWord: boolean;
}

/** Makes a word's meaning in `sum`. */
function createMaker(model: StaticModel, related: RelatedWords) {
  const sum = new Float64Array(model.dimensions);
  const others = new Float64Array(model.dimensions);

  function join(list: RelatedList | null): number {
    others.fill(0);
    if (list) {
      for (let at = 0; at < list.places.length; at++)
        model.addPlace(list.places[at]!, list.weights[at]!, others);
    }
    const [weight, length] = [lengthOf(sum), lengthOf(others)];
    if (length === 0) return weight;
    const share = (weight === 0 ? 1 : RELATED * weight) / length;
    for (let at = 0; at < sum.length; at++) sum[at]! += share * others[at]!;
    return weight || RARE_WEIGHT;
  }

  function ofPlace(place: number): Made {
    sum.fill(0);
    model.addPlace(place, 1, sum);
    return { weight: join(related.of("", place)), isWord: true };
  }

  /** Of a word that the model does not know: what its parts say is less than what it is said to mean. */
  function ofOther(word: string): Made {
    sum.fill(0);
    const list = related.of(word, null);
    if (list) return { weight: join(list), isWord: true };
    for (const form of uninflected(word)) {
      const place = model.placeOf(form);
      if (place !== null) return ofPlace(place);
      if (related.has(form)) return { weight: join(related.of(form, null)), isWord: true };
    }
    model.addWord(word, sum);
    return { weight: lengthOf(sum), isWord: false };
  }

  return { sum, ofPlace, ofOther };
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

/** Answers the length of what it has written. */
function quantise(vector: Float64Array, into: Int8Array): number {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  let square = 0;
  for (let at = 0; at < into.length; at++) {
    const value = Math.round((vector[at]! / largest) * LARGEST);
    into[at] = value;
    square += value * value;
  }
  return Math.sqrt(square);
}

function lengthOf(vector: Float64Array): number {
  let square = 0;
  for (const value of vector) square += value * value;
  return Math.sqrt(square);
}
