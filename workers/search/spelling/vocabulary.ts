import { PAIRED, SEGMENTED } from "../../words/scripts.ts";
import { createBackgroundLoad, type Loading } from "../background-load.ts";
import type { IndexReader } from "../index-reader.ts";
import { createWordPages } from "../postings/fts5/word-pages.ts";
import { createTermTable, LONGEST_TERM, SHORTEST_TERM, type NearTerm, type TermTable } from "./term-table.ts";
import { newestNumber } from "../units.ts";

/** The words of a base as its index has them, in memory: made when a query has a word that occurs nowhere. */
export interface Vocabulary {
  /**
   * Reads it where that takes about budgetMs at most; else it follows in the background. False until it is there. Call it
   * inside the snapshot that is searched.
   */
  refresh(budgetMs: number): boolean;
  /** In how many units a term stands, about; 0 for one that is not in it. */
  units(term: string): number;
  /** Terms within so many edits, a transposition being one. */
  near(term: string, most: number): NearTerm[];
  bytes(): number;
  /** Gives the memory back; the next refresh reads anew. */
  forget(): void;
}

interface Known extends Loading {
  readonly terms: TermTable;
  readonly newest: number;
  /** Nothing of it is missing. */
  isRead(): boolean;
}

/** For the vocabularies of all open bases together; one of 500,000 terms takes 12 MB. */
export const VOCABULARY_BYTES = 32 * 1024 * 1024;
const PAGE_ROWS = 1000;
/** Units whose terms are read in a millisecond, at least: part of a vocabulary is of no use, so no search waits for that. */
const UNITS_A_MS = 350;
/** Terms between two looks at the clock. */
const LOOK_EVERY = 64;
const PAGE = `SELECT term, doc FROM temp.word_frequency WHERE term > ? ORDER BY term LIMIT ${PAGE_ROWS}`;
/** Read again when the base has grown by this share: new words are few, and found as they are in any case. */
const GROWTH = 0.1;
const word = /^\p{L}+$/u;
const unspaced = new RegExp(`^[${PAIRED}${SEGMENTED}\\u{20000}-\\u{21700}]`, "u");

export function createVocabulary(reader: IndexReader): Vocabulary {
  // While it is read again the one before answers.
  let current: Known | null = null;
  let coming: Known | null = null;
  const background = createBackgroundLoad<Known>(reader, (mine) => mine === coming);

  return {
    refresh(budgetMs) {
      const newest = newestNumber(reader);
      if (current && newest <= current.newest * (1 + GROWTH)) return true;
      coming ??= createKnown(reader, newest);
      const isWithin = current === null && newest <= budgetMs * UNITS_A_MS;
      if (coming.isRead() || (isWithin && coming.take(budgetMs))) [current, coming] = [coming, null];
      else background.goOn(coming);
      return current !== null;
    },
    units: (term) => current?.terms.units(term) ?? 0,
    near: (term, most) => current?.terms.near(term, most) ?? [],
    bytes: () => (current?.terms.bytes() ?? 0) + (coming?.terms.bytes() ?? 0),
    forget() {
      current = null;
      coming = null;
    },
  };
}

function createKnown(reader: IndexReader, newest: number): Known {
  const terms = createTermTable();
  const pages = createWordPages(reader);
  /** Whether FTS5's pages have the form that is known here; else it is asked itself, which takes ten times as long. */
  let isKnownForm = true;
  let last = "";
  let isRead = false;

  function add(term: string, units: number): void {
    last = term;
    if (term.length < SHORTEST_TERM || term.length > LONGEST_TERM) return;
    if (word.test(term) && !unspaced.test(term)) terms.add(term, units);
  }

  function takePages(until: number): boolean {
    pages.refresh();
    const told = pages.terms(last);
    if (told === null) throw new RangeError("an index of another form");
    let count = 0;
    for (const [term, units] of told) {
      add(term, units);
      if (++count % LOOK_EVERY === 0 && performance.now() >= until) return false;
    }
    return true;
  }

  function takeRows(until: number): boolean {
    for (;;) {
      const rows = reader.statement(PAGE).raw().all(last) as [string, number][];
      for (const [term, units] of rows) add(term, units);
      if (rows.length < PAGE_ROWS) return true;
      if (performance.now() >= until) return false;
    }
  }

  function take(until: number): boolean {
    try {
      if (isKnownForm) return takePages(until);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      isKnownForm = false;
    }
    return takeRows(until);
  }

  return {
    terms,
    newest,
    isRead: () => isRead,
    take: (budgetMs) => (isRead ||= take(performance.now() + budgetMs)),
  };
}
