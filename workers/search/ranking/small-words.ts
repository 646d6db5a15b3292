import { closeMatch, isStopWord, unitMatch, type QueryUnit } from "../../words/query.ts";
import type { UnitSet } from "../hidden-units.ts";
import type { IndexReader } from "../index-reader.ts";
import type { OpenIndex } from "../readers.ts";
import type { Postings } from "../postings/postings.ts";
import type { Asked } from "./score-words.ts";

/** Units that are listed as saying all of it in one piece; of more than these the first are ranked. */
export const PHRASES_MOST = 1_000;
/** Rows that are looked through for those that a filter lets pass, in pages; at 0.3 µs each. */
const SEEN_MOST = 1_000_000;
const PAGE_ROWS = 10_000;
/**
 * What each tier counts, so that none overtakes the one before: even a unit of thirty times the average length that says the
 * phrase earns more than a short one that does not.
 */
const TIERS = { phrase: 1, near: 1 / 30, words: 1 / 1000 } as const;

/** Numbers of JavaScript are bound as REAL, by which FTS5 skips nothing. */
const AFTER = "SELECT rowid FROM unit_words WHERE unit_words MATCH ? AND rowid > CAST(? AS INTEGER) LIMIT ?";

/** True for a query that has no word of substance, such as "to be or not to be". */
export function saysSmallWordsAlone(units: readonly QueryUnit[]): boolean {
  return units.length > 0 && units.every(({ tokens }) => tokens.every(isStopWord));
}

/**
 * Of a query of small words alone: the units that say it as a phrase, with its words close together when those are fewer
 * than `wanted`, and with all or some of its words when they still are. Such words stand in half of all units, so nothing is
 * asked for but lists that are bounded; of what is more, the first in the index are taken.
 */
export function askSmallWords(
  { reader, postings }: Pick<OpenIndex, "reader" | "postings">,
  units: readonly QueryUnit[],
  wanted: number,
  accept: UnitSet | null,
): Map<string, Asked> {
  const asked = new Map<string, Asked>();
  const found = new Set<number>();
  const listed = (match: string, most: number): readonly number[] =>
    postings.holding(match, most) ?? firstHolding(reader, match, most, accept);
  const put = (key: string, numbers: readonly number[], titles: ReadonlySet<number>, times: number): void => {
    asked.set(key, { postings: saidOnce(numbers, titles), times });
    for (const number of numbers) if (accept?.has(number) !== false) found.add(number);
  };
  const phrases = units.filter(({ tokens }) => tokens.length > 1);
  for (const unit of phrases.length > 0 || units.length > 1 ? phrases : units) {
    const match = unitMatch(unit);
    if (asked.has(match)) continue;
    const numbers = listed(match, PHRASES_MOST);
    const titles = new Set(numbers.length > 0 ? listed(`{title} : ${match}`, PHRASES_MOST) : []);
    put(match, ascending([...numbers, ...titles]), titles, TIERS.phrase);
  }
  // What is quoted must be there as it is: nothing else may be answered.
  if (phrases.some(({ kind }) => kind !== "whole")) return asked;
  const none = new Set<number>();
  for (const [match, times] of looserMatches(units, phrases[0])) {
    if (found.size >= wanted) break;
    if (!asked.has(match)) put(match, listed(match, wanted), none, times);
  }
  return asked;
}

/** What is asked for where too few say it as it is, the strictest first. */
function looserMatches(units: readonly QueryUnit[], whole: QueryUnit | undefined): [string, number][] {
  const words = [...new Set(units.filter((unit) => unit !== whole).map(unitMatch))];
  const each = TIERS.words / words.length;
  return [
    ...(whole ? [[closeMatch(whole), TIERS.near] satisfies [string, number]] : []),
    [words.join(" AND "), TIERS.words],
    ...words.map((word): [string, number] => [word, each]),
  ];
}

/** The first units that match and may be answered. */
function firstHolding(reader: IndexReader, match: string, most: number, accept: UnitSet | null): number[] {
  const found: number[] = [];
  const rows = accept ? PAGE_ROWS : most;
  let last = 0;
  for (let seen = 0; seen < SEEN_MOST; seen += rows) {
    const page = reader.statement(AFTER).pluck().all(match, last, rows) as number[];
    for (const number of page) {
      if (accept?.has(number) === false) continue;
      found.push(number);
      if (found.length === most) return found;
    }
    if (page.length < rows) break;
    last = page.at(-1)!;
  }
  return found;
}

function ascending(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].sort((a, b) => a - b);
}

/** As if each said it once: how often is not worth reading what FTS5 would have to read. */
function saidOnce(numbers: readonly number[], titles: ReadonlySet<number>): Postings {
  return {
    numbers: Int32Array.from(numbers),
    titles: Uint8Array.from(numbers, (number) => (titles.has(number) ? 1 : 0)),
    bodies: new Uint16Array(numbers.length).fill(1),
    places: null,
  };
}
