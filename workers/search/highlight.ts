import type { QueryUnit } from "../words/query.ts";
import { PAIRED, SEGMENTED, splitMarks } from "../words/scripts.ts";
import { humpParts, shapeText, spelledNames } from "../words/shape.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { scanWords } from "./word-scan.ts";

export type Range = readonly [start: number, end: number];

/** Ranges a text gets at most. */
const MAX_RANGES = 200;
/** Longer runs of letters are encoded data. */
const MAX_WORD = 100;

const unspaced = new RegExp(`^[${PAIRED}${SEGMENTED}]`, "u");
const segmented = new RegExp(`^[${SEGMENTED}]`, "u");

/**
 * Marks where a text has the words of a query: the same word in the eyes of the index (case, accents, English endings,
 * cut stems, parts of identifiers), and of scripts without spaces the same characters.
 */
export function createHighlighter(
  units: readonly QueryUnit[],
  tokenizer: Tokenizer,
): (text: string) => Range[] {
  const asked = units.filter((unit) => unit.kind !== "whole");
  const tokens = [...new Set(asked.flatMap((unit) => unit.tokens))];
  const terms = new Set(tokenizer.terms(tokens.filter((token) => !unspaced.test(token))));
  terms.delete(null);
  const open = asked.filter((unit) => unit.kind === "prefix").map((unit) => unit.tokens[0]!.toLowerCase());
  const names = new Set(tokens);
  const pieces = piecePattern(tokens);
  const first = firstLetters([...terms, ...open]);

  function isAsked(word: string): boolean {
    const shaped = shapeText(word, []).trim();
    if (open.some((prefix) => shaped.toLowerCase().startsWith(prefix))) return true;
    const [term = null] = tokenizer.terms([shaped]);
    return term !== null && terms.has(term);
  }

  return (text) => {
    const found: Range[] = [];
    if (terms.size > 0 || open.length > 0) {
      scanWords(text, (start, end, hump) => {
        if (end - start > MAX_WORD && open.length === 0) return;
        const word = text.slice(start, Math.min(end, start + MAX_WORD));
        if (first(text.charCodeAt(start)) && isAsked(word)) found.push([start, end]);
        else if (hump) found.push(...partRanges(word, start, isAsked));
      });
      for (const name of spelledNames(text)) {
        if (names.has(name.token)) found.push([name.start, name.end]);
      }
    }
    if (pieces) for (const hit of text.matchAll(pieces)) found.push([hit.index, hit.index + hit[1]!.length]);
    return merge(found);
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

/** A quick test on a word's first character; anything beyond ASCII passes, for accents and widths fold. */
function firstLetters(terms: readonly (string | null)[]): (code: number) => boolean {
  const wanted = new Uint8Array(128);
  for (const term of terms) {
    const code = term?.charCodeAt(0) ?? 0;
    if (code < 128) {
      wanted[code] = 1;
      wanted[String.fromCharCode(code).toUpperCase().charCodeAt(0)] = 1;
    }
  }
  return (code) => code >= 128 || wanted[code] === 1;
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
