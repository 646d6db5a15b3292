import { isNameLike, isStopWord, type QueryUnit } from "../../words/query.ts";
import { PAIRED, SEGMENTED } from "../../words/scripts.ts";
import { humpParts, shapeText } from "../../words/shape.ts";
import type { Correction } from "../contract.ts";
import { expressionOf } from "../tokenizer.ts";
import { respell, type CorrectionDeps, type Spellings } from "./respell.ts";

export interface CorrectedQuery {
  /** The query with the best correction in each place. */
  readonly text: string;
  readonly corrections: readonly Correction[];
  /** What a corrected word counts, by its term in the index: less than one that was written so. */
  readonly weights: ReadonlyMap<string, number>;
  /** What else may have been meant. */
  readonly others: readonly QueryUnit[];
  /** The vocabulary is still being read: nothing was corrected. */
  readonly isPending: boolean;
}

/** A longer text is not typed but pasted, and what of it occurs says enough. */
const MAX_WORDS = 64;
/** Words of a query that are corrected. */
const MAX_CORRECTED = 4;
/** A search waits this long for the vocabulary; that of a large base comes meanwhile. */
const LOADING_MS = 150;
const SHORTEST = 4;
/** Letters that a part has at least where one word was written for two. */
const SHORTEST_PART = 2;
/** Upper-case words up to this length are abbreviations. */
const ABBREVIATION = 6;
/** By edits; a word that is put together or cut up has none. */
const WEIGHTS = [1, 0.6, 0.4] as const;

/** One space or hyphen parts what may be one word. */
const between = /^[ \u00A0-]$/;
const piece = /\S+/gu;
const word = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
const plain = new RegExp(`^(?:(?![${PAIRED}${SEGMENTED}])[\\p{L}\\p{M}])+$`, "u");

interface Word {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** What the index is asked for. */
  readonly shaped: string;
  /** Part of a file name, a version, an address, an identifier. */
  readonly isName: boolean;
}

interface Repair extends Spellings {
  readonly start: number;
  readonly end: number;
}

/**
 * Looks for what was meant by words that occur nowhere in the base: two that are one, one that is two, or a mistake.
 * `kept` stays as it is. Null when each word occurs, or what does not can't be corrected: numbers, names, abbreviations,
 * short words, CJK.
 */
export function correctQuery(
  deps: CorrectionDeps,
  text: string,
  kept: ReadonlySet<string>,
): CorrectedQuery | null {
  const words = wordsOf(text);
  if (words.length > MAX_WORDS) return null;
  const missing = new Set(
    words.filter((one) => isCorrectable(one) && !kept.has(one.shaped) && !standsIn(deps, one.shaped)),
  );
  if (missing.size === 0) return null;
  if (!deps.vocabulary.refresh(LOADING_MS))
    return { text, corrections: [], weights: new Map(), others: [], isPending: true };
  const repairs: Repair[] = [];
  const isAlone = words.every(
    (one) => missing.has(one) || isStopWord(one.text) || !standsIn(deps, one.shaped),
  );
  // A word that is said several times is looked up once.
  const respellings = new Map<string, Spellings | null>();
  words.forEach((one, at) => {
    if (!missing.has(one)) return;
    let repair = joined(deps, text, words, at);
    if (!repair) {
      const known = respellings.get(one.shaped);
      if (known === undefined && respellings.size === MAX_CORRECTED) return;
      const spellings = known === undefined ? (cutUp(deps, one) ?? misspelt(deps, one, isAlone)) : known;
      respellings.set(one.shaped, spellings);
      repair = spellings && { start: one.start, end: one.end, ...spellings };
    }
    if (repair && repair.start >= (repairs.at(-1)?.end ?? 0)) repairs.push(repair);
  });
  return repairs.length > 0 ? apply(deps, text, repairs) : null;
}

/** A common word that the base does not happen to say is no mistake. */
function misspelt(deps: CorrectionDeps, one: Word, isAlone: boolean): Spellings | null {
  return deps.isCommon(one.text) ? null : respell(deps, one, isAlone);
}

function apply({ tokenizer }: CorrectionDeps, text: string, repairs: readonly Repair[]): CorrectedQuery {
  const weights = new Map<string, number>();
  const others: QueryUnit[] = [];
  let corrected = "";
  let at = 0;
  for (const { start, end, used, edits } of repairs) {
    const [best = "", ...more] = used;
    corrected += text.slice(at, start) + best;
    at = end;
    for (const term of tokenizer.terms(shaped(best).split(" "))) if (term) weights.set(term, WEIGHTS[edits]);
    others.push(
      ...more.map((other) => ({
        kind: "part" as const,
        tokens: [shaped(other)],
        weight: WEIGHTS[edits] ** 2,
      })),
    );
  }
  const corrections = new Map<string, Correction>();
  for (const { start, end, used } of repairs) {
    const term = text.slice(start, end);
    if (!corrections.has(term.toLowerCase())) corrections.set(term.toLowerCase(), { term, used });
  }
  return {
    text: corrected + text.slice(at),
    corrections: [...corrections.values()],
    weights,
    others,
    isPending: false,
  };
}

function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  for (const { 0: whole, index } of text.matchAll(piece)) {
    const isName = isNameLike(whole);
    for (const found of whole.matchAll(word)) {
      const start = index + found.index;
      words.push({
        start,
        end: start + found[0].length,
        text: found[0],
        shaped: shaped(found[0]),
        isName,
      });
    }
  }
  return words;
}

function shaped(text: string): string {
  return shapeText(text, []).trim();
}

function isCorrectable({ text, isName }: Word): boolean {
  if (isName || text.length < SHORTEST || !plain.test(text) || isStopWord(text)) return false;
  const isAbbreviation =
    text.length <= ABBREVIATION && text === text.toUpperCase() && text !== text.toLowerCase();
  return !isAbbreviation && humpParts(text).length === 0;
}

/** A word, or several side by side. */
function standsIn({ postings, tokenizer }: CorrectionDeps, words: string): boolean {
  return postings.occurs(expressionOf(tokenizer, { kind: "literal", tokens: words.split(" ") }));
}

/** With the word before it or behind it: "data base" for "database". */
function joined(deps: CorrectionDeps, text: string, words: readonly Word[], at: number): Repair | null {
  for (const first of [at - 1, at]) {
    const [one, two] = [words[first], words[first + 1]];
    if (!one || !two || one.isName || two.isName || !between.test(text.slice(one.end, two.start))) continue;
    const whole = one.text + two.text;
    // Where words are cut to their first letters, what comes behind those tells nothing.
    if (!plain.test(whole) || shaped(whole).length < whole.length) continue;
    if (standsIn(deps, shaped(whole))) return { start: one.start, end: two.end, used: [whole], edits: 0 };
  }
  return null;
}

/** "opensource" for "open source": two words that stand side by side somewhere. */
function cutUp(deps: CorrectionDeps, { text, shaped: whole }: Word): Spellings | null {
  const { tokenizer, vocabulary } = deps;
  if (whole.length < text.length) return null;
  const cuts: string[][] = [];
  for (let at = SHORTEST_PART; at <= text.length - SHORTEST_PART; at++)
    cuts.push([text.slice(0, at), text.slice(at)]);
  // All at once: FTS5 is asked what it makes of them, which takes a tenth of a millisecond each time.
  const terms = tokenizer.terms(cuts.flat().map(shaped));
  for (const [at, cut] of cuts.entries()) {
    const known = terms
      .slice(2 * at, 2 * at + 2)
      .every((term) => term !== null && vocabulary.units(term) > 0);
    if (known && standsIn(deps, cut.map(shaped).join(" "))) return { used: [cut.join(" ")], edits: 0 };
  }
  return null;
}
