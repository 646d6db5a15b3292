import { shapeText } from "../words/shape.ts";
import { editsBetween, oneEditAway } from "./edits.ts";
import type { IndexReader } from "./index-reader.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { unitById, unitId } from "./units.ts";
import type { Vocabulary } from "./vocabulary.ts";
import { scanWords } from "./word-scan.ts";

export interface CorrectionDeps {
  readonly reader: IndexReader;
  readonly tokenizer: Tokenizer;
  readonly vocabulary: Vocabulary;
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

/** Words that one may become. */
const MAX_USED = 3;
/** Letters from which on a word may have two mistakes, and its stem: a shorter one is near too many others. */
const TWO_FROM = 8;
const TWO_FROM_STEM = 6;
/** Mistakes cost one each; neighbours that changed places less, for they are the commonest; another first letter more. */
const SWAPPED = 0.8;
const OTHER_FIRST = 0.6;
/** What being twice as frequent is worth: a word in 1,000 chunks gains 0.8. */
const FREQUENT = 0.08;
/** What costs this much more than the best may have been meant too. */
const SLACK = 0.35;

const latin = /^[a-z]+$/;
/** Longer runs of letters are encoded data. */
const MAX_WORD = 100;
const HOLDING = "SELECT doc FROM temp.word_instance WHERE term = ? LIMIT 3";

/**
 * Words of the base that a misspelt one may stand for. Of Latin letters each word that is one edit away is stemmed and
 * looked up, so that mistakes in an ending are found too; else, and for two edits, stems are compared with the stem.
 */
export function respell(deps: CorrectionDeps, text: string, shaped: string): Spellings | null {
  const [stem] = deps.tokenizer.terms([shaped]);
  if (typeof stem !== "string") return null;
  const found = byOneEdit(deps, text.toLowerCase(), stem);
  const most = text.length >= TWO_FROM && stem.length >= TWO_FROM_STEM ? 2 : 1;
  const candidates = found.length > 0 ? found : byStem(deps, stem, most);
  candidates.sort((a, b) => a.cost - b.cost || (a.term < b.term ? -1 : 1));
  const [best] = candidates;
  if (!best) return null;
  const near = candidates.filter(({ cost, edits }) => cost <= best.cost + SLACK && edits === best.edits);
  const used = near
    .slice(0, MAX_USED)
    .flatMap(({ term }) => spellingOf(deps.reader, deps.tokenizer, term, text.toLowerCase()) ?? []);
  return used.length > 0 ? { used: [...new Set(used)], edits: best.edits } : null;
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

/** How the base writes a term: its word that is nearest to what was written, in one of the first places that have it. */
function spellingOf(reader: IndexReader, tokenizer: Tokenizer, term: string, written: string): string | null {
  const numbers = reader.statement(HOLDING).pluck().all(term) as number[];
  for (const number of numbers) {
    const id = unitId(reader, number);
    const unit = id === undefined ? null : unitById(reader, id);
    if (!unit) continue;
    const words = wordsOf([unit.text, unit.title, ...unit.headings, unit.relativePath].join("\n"));
    const terms = tokenizer.terms(words.map((word) => shapeText(word, []).trim()));
    const fitting = words.filter((_, at) => terms[at] === term);
    if (fitting.length === 0) continue;
    const edits = fitting.map((word) => editsBetween(codesOf(word), codesOf(written), written.length));
    return fitting[edits.indexOf(Math.min(...edits))]!;
  }
  return null;
}

/** The words of spaced scripts, in lower case, once each. */
function wordsOf(text: string): string[] {
  const words = new Set<string>();
  scanWords(text, (start, end) => {
    if (end - start <= MAX_WORD) words.add(text.slice(start, end).toLowerCase());
  });
  return [...words];
}

function codesOf(word: string): number[] {
  return Array.from({ length: word.length }, (_, at) => word.charCodeAt(at));
}
