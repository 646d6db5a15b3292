import type { QueryUnit } from "../words/query.ts";
import { PAIRED, SEGMENTED, splitMarks } from "../words/scripts.ts";
import { humpParts, shapeText, spelledNames } from "../words/shape.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { scanWords } from "./word-scan.ts";

export type Range = [start: number, end: number];

/** Ranges a text gets at most. */
const MAX_RANGES = 200;
/** Longer runs of letters are encoded data. */
const MAX_WORD = 100;

const ASCII = 128;

const unspaced = new RegExp(`^[${PAIRED}${SEGMENTED}]`, "u");
const segmented = new RegExp(`^[${SEGMENTED}]`, "u");

/**
 * Marks where texts have the words of a query: the same word in the eyes of the index (case, accents, English endings,
 * cut stems, parts of identifiers), and of scripts without spaces the same characters.
 */
export function createHighlighter(
  units: readonly QueryUnit[],
  tokenizer: Tokenizer,
): (texts: readonly string[]) => Range[][] {
  const asked = units.filter((unit) => unit.kind !== "whole");
  const tokens = [...new Set(asked.flatMap((unit) => unit.tokens))];
  const terms = new Set(tokenizer.terms(tokens.filter((token) => !unspaced.test(token))));
  terms.delete(null);
  const open = asked.filter((unit) => unit.kind === "prefix").map((unit) => unit.tokens[0]!.toLowerCase());
  const names = new Set(tokens);
  const pieces = piecePattern(tokens);
  const mayBegin = beginnings([...terms, ...open]);
  const isAsked = askedWords(terms, open, tokenizer);

  function wordsOf(text: string): FoundWord[] {
    const words: FoundWord[] = [];
    scanWords(text, (start, end, hump) => {
      if (end - start > MAX_WORD && open.length === 0) return;
      const isLikely = mayBegin(text, start);
      if (isLikely || hump)
        words.push({ start, end, hump, isLikely, word: text.slice(start, Math.min(end, start + MAX_WORD)) });
    });
    return words;
  }

  const rangeOf = ({ start, end, hump, isLikely, word }: FoundWord): Range[] => {
    if (isLikely && isAsked.of(word)) return [[start, end]];
    return hump ? partRanges(word, start, (part) => mayBegin(part, 0) && isAsked.of(part)) : [];
  };

  return (texts) => {
    const found = texts.map(terms.size > 0 || open.length > 0 ? wordsOf : () => []);
    isAsked.learn(found.flatMap((words) => words.flatMap(({ isLikely, word }) => (isLikely ? word : []))));
    return texts.map((text, at) => {
      const ranges = found[at]!.flatMap(rangeOf);
      for (const name of spelledNames(text)) {
        if (names.has(name.token)) ranges.push([name.start, name.end]);
      }
      if (pieces)
        for (const hit of text.matchAll(pieces)) ranges.push([hit.index, hit.index + hit[1]!.length]);
      return merge(ranges);
    });
  };
}

interface FoundWord {
  readonly start: number;
  readonly end: number;
  readonly hump: boolean;
  /** Its beginning is that of a word of the query. */
  readonly isLikely: boolean;
  readonly word: string;
}

/** Which words of the texts are words of the query, remembered from text to text. */
interface AskedWords {
  /** FTS5 is asked of all at once: one by one takes fifty times as long. */
  learn(words: readonly string[]): void;
  of(word: string): boolean;
}

function askedWords(
  terms: ReadonlySet<string | null>,
  open: readonly string[],
  tokenizer: Tokenizer,
): AskedWords {
  const known = new Map<string, boolean>();
  const learn = (words: readonly string[]): void => {
    const unknown = [...new Set(words)].filter((word) => !known.has(word));
    const shaped = unknown.map((word) => shapeText(word, []).trim());
    const found = tokenizer.terms(shaped);
    unknown.forEach((word, at) => {
      const lower = shaped[at]!.toLowerCase();
      const term = found[at] ?? null;
      known.set(word, open.some((prefix) => lower.startsWith(prefix)) || (term !== null && terms.has(term)));
    });
  };
  return {
    learn,
    of(word) {
      if (!known.has(word)) learn([word]);
      return known.get(word) === true;
    },
  };
}

/** Finds overlapping pieces of scripts without spaces, longer ones first. */
function piecePattern(tokens: readonly string[]): RegExp | null {
  const pieces = tokens
    .filter((token) => unspaced.test(token))
    .map((token) => (segmented.test(token) ? splitMarks(token) : token));
  if (pieces.length === 0) return null;
  pieces.sort((a, b) => b.length - a.length);
  return new RegExp(`(?=(${pieces.join("|")}))`, "gu");
}

/**
 * A quick test on a word's first two characters, which stemming leaves as they are but for y and i. Anything beyond ASCII
 * passes, for accents and widths fold.
 */
function beginnings(terms: readonly (string | null)[]): (text: string, start: number) => boolean {
  const wanted = new Uint8Array(ASCII * ASCII);
  for (const term of terms) {
    if (term === null) continue;
    const [first, second] = [folded(term.charCodeAt(0)), folded(term.charCodeAt(1))];
    if (first >= ASCII) continue;
    if (term.length > 1 && second < ASCII) wanted[first * ASCII + second] = 1;
    else wanted.fill(1, first * ASCII, (first + 1) * ASCII);
  }
  return (text, start) => {
    const [first, second] = [folded(text.charCodeAt(start)), folded(text.charCodeAt(start + 1))];
    return first >= ASCII || second >= ASCII || wanted[first * ASCII + second] === 1;
  };
}

/** In lower case, y as i; what is beyond ASCII, or no character, is ASCII or more. */
function folded(code: number): number {
  if (Number.isNaN(code)) return ASCII;
  const lower = code >= 65 && code <= 90 ? code + 32 : code;
  return lower === 121 ? 105 : lower;
}

function partRanges(word: string, start: number, isAsked: (part: string) => boolean): Range[] {
  const ranges: Range[] = [];
  let at = 0;
  for (const part of humpParts(word)) {
    at = word.indexOf(part, at);
    if (isAsked(part)) ranges.push([start + at, start + at + part.length]);
    at += part.length;
  }
  return ranges;
}

function merge(ranges: Range[]): Range[] {
  ranges.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const merged: [number, number][] = [];
  for (const [start, end] of ranges) {
    const last = merged.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else if (merged.length === MAX_RANGES) break;
    else merged.push([start, end]);
  }
  return merged;
}
