import { isStopWord } from "../../words/query.ts";
import { shapeText } from "../../words/shape.ts";
import { editsBetween, oneEditAway } from "./edits.ts";
import type { IndexReader } from "../index-reader.ts";
import type { PostingCache } from "../postings/posting-cache.ts";
import type { Tokenizer } from "../tokenizer.ts";
import { unitById, unitId } from "../units.ts";
import type { Vocabulary } from "./vocabulary.ts";
import { scanWords } from "../word-scan.ts";

export interface CorrectionDeps {
  readonly reader: IndexReader;
  readonly tokenizer: Tokenizer;
  readonly postings: PostingCache;
  readonly vocabulary: Vocabulary;
  /** A word of the language, whether or not the base says it. */
  readonly isCommon: (word: string) => boolean;
}

export interface Spellings {
  /** Words that occur, the likeliest first. */
  readonly used: readonly string[];
  readonly edits: 0 | 1 | 2;
}

interface Candidate {
  readonly term: string;
  readonly edits: 1 | 2;
  readonly cost: number;
}

/** Words that one may become, and candidates that are looked at for them. */
const MAX_USED = 3;
const MAX_LOOKED_AT = 8;
/** Letters from which on a word may have two mistakes, and its stem: a shorter one is near too many others. */
const TWO_FROM = 8;
const TWO_FROM_STEM = 6;
const SHORT = 5;
/** Mistakes cost one each; neighbours that changed places less, for they are the commonest; another first letter more. */
const SWAPPED = 0.8;
const OTHER_FIRST = 0.6;
/** What being twice as frequent is worth: a word in 1,000 chunks gains 0.8. */
const FREQUENT = 0.08;
/** What costs this much more than the best may have been meant too. */
const SLACK = 0.35;

const latin = /^[a-z]+$/;
/** Places of a term in which a spelling is looked for that is near enough, and of all terms together, at 0.1 ms each. */
const PLACES = 20;
const MAX_READ = 60;
const HOLDING = `SELECT DISTINCT doc FROM temp.word_instance WHERE term = ? LIMIT ${PLACES}`;

/**
 * Words of the base that a misspelt one may stand for. Of Latin letters each word that is one edit away is stemmed and
 * looked up, so that mistakes in an ending are found too; else, and for two edits, stems are compared with the stem. Stems
 * can be near where words are not: only a word that the base writes, and that is near itself, is taken. `isAlone`: no other
 * word of the query occurs.
 */
export function respell(
  deps: CorrectionDeps,
  { text, shaped }: { readonly text: string; readonly shaped: string },
  isAlone: boolean,
): Spellings | null {
  const [stem] = deps.tokenizer.terms([shaped]);
  if (typeof stem !== "string") return null;
  const written = text.toLowerCase();
  const most = written.length >= TWO_FROM && stem.length >= TWO_FROM_STEM ? 2 : 1;
  const meant = { written, codes: codesOf(written), isAlone, left: MAX_READ };
  const byEdit = likeliest(deps, byOneEdit(deps, written, stem), { ...meant, most: 1 });
  return byEdit ?? likeliest(deps, byStem(deps, stem, most), { ...meant, most });
}

/** What a spelling must be near to. */
interface Meant {
  readonly written: string;
  readonly codes: readonly number[];
  readonly most: number;
  readonly isAlone: boolean;
  /** Units that may still be read to find one. */
  left: number;
}

function likeliest(
  { reader, tokenizer }: CorrectionDeps,
  candidates: Candidate[],
  meant: Meant,
): Spellings | null {
  candidates.sort((a, b) => a.cost - b.cost || (a.term < b.term ? -1 : 1));
  const used: string[] = [];
  let best: { cost: number; edits: 1 | 2 } | null = null;
  for (const { term, cost, edits } of candidates.slice(0, MAX_LOOKED_AT)) {
    if (used.length === MAX_USED || (best && (cost > best.cost + SLACK || edits > best.edits))) break;
    const spelling = spellingOf(reader, tokenizer, term, meant);
    if (spelling === null || used.includes(spelling)) continue;
    best ??= { cost, edits };
    used.push(spelling);
  }
  return best && { used, edits: best.edits };
}

function byOneEdit({ tokenizer, vocabulary }: CorrectionDeps, text: string, stem: string): Candidate[] {
  if (!latin.test(text)) return [];
  const cheapest = new Map<string, Candidate>();
  const variants = oneEditAway(text);
  tokenizer.terms(variants).forEach((term, at) => {
    if (term === null || term === stem) return;
    const units = vocabulary.units(term);
    if (units === 0) return;
    const cost = costOf(text, variants[at]!, units, 1);
    if (cost < (cheapest.get(term)?.cost ?? Infinity)) cheapest.set(term, { term, edits: 1, cost });
  });
  return [...cheapest.values()];
}

function byStem({ vocabulary }: CorrectionDeps, stem: string, most: 1 | 2): Candidate[] {
  return vocabulary.near(stem, most).map(({ term, distance, units }) => ({
    term,
    edits: distance === 1 ? 1 : 2,
    cost: costOf(stem, term, units, distance),
  }));
}

function costOf(written: string, meant: string, units: number, edits: number): number {
  const swapped = edits === 1 && isSwap(written, meant) ? SWAPPED - 1 : 0;
  const first = written[0] === meant[0] ? 0 : OTHER_FIRST;
  return edits + swapped + first - FREQUENT * Math.log2(units);
}

/** Of two words that are one edit apart. */
function isSwap(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let differing = 0;
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) differing++;
  return differing === 2;
}

/** How the base writes a term in one of the first places that have it, near to what was written; null when it does not. */
function spellingOf(reader: IndexReader, tokenizer: Tokenizer, term: string, meant: Meant): string | null {
  for (const number of reader.statement(HOLDING).pluck().all(term) as number[]) {
    if (meant.left-- <= 0) return null;
    const id = unitId(reader, number);
    const unit = id === undefined ? null : unitById(reader, id);
    if (!unit) continue;
    const near = wordsNear([unit.text, unit.title, ...unit.headings, unit.relativePath].join("\n"), meant);
    const terms = tokenizer.terms(near.map((word) => shapeText(word, []).trim()));
    const fitting = near.filter((_, at) => terms[at] === term);
    const edits = fitting.map((word) => editsBetween(codesOf(word), meant.codes, meant.written.length));
    if (fitting.length > 0) return fitting[edits.indexOf(Math.min(...edits))]!;
  }
  return null;
}

/**
 * Near enough to have been meant. Who misspells a word hardly ever does so in its first letter, but for changing places with
 * the second. Another letter in a short word makes another word of it more often than a mistake: kind, king.
 */
function isMeant(word: string, { written, codes, most, isAlone }: Meant): boolean {
  if (isStopWord(word) || editsBetween(codesOf(word), codes, most) > most) return false;
  if (written.length >= TWO_FROM || isSwap(word, written)) return true;
  const isOther = word.length === written.length && written.length <= SHORT;
  return word[0] === written[0] && (isAlone || !isOther);
}

/** The words of spaced scripts that are meant, in lower case, once each. */
function wordsNear(text: string, meant: Meant): string[] {
  const words = new Set<string>();
  scanWords(text, (start, end) => {
    // Lower case may be longer by some characters.
    if (Math.abs(end - start - meant.written.length) <= meant.most + 1)
      words.add(text.slice(start, end).toLowerCase());
  });
  return [...words].filter((word) => isMeant(word, meant));
}

function codesOf(word: string): number[] {
  const codes: number[] = [];
  for (let at = 0; at < word.length; at++) codes.push(word.charCodeAt(at));
  return codes;
}
