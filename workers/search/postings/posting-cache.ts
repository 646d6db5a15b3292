import { createWordPages } from "./fts5/word-pages.ts";
import { createHeldAnswers } from "./held-answers.ts";
import type { IndexReader } from "../index-reader.ts";
import { closeUnits, meet, phraseOf, type Meeting } from "./phrases.ts";
import { createKept, type Kept } from "./kept-postings.ts";
import type { Postings } from "./postings.ts";
import { readMatch, readTerm } from "./read-postings.ts";
import { createTermCounts } from "./term-frequency.ts";
import { occurs } from "../units.ts";
import { createUnitLengths, type UnitLengths } from "./unit-lengths.ts";

/** A word or a phrase as FTS5 is asked for it, and what the index calls its words; null where these are not terms of it. */
export interface Expression {
  readonly match: string;
  readonly terms: readonly string[] | null;
  /** How far behind the first place of a phrase each term stands; one after another when it is absent. */
  readonly offsets?: readonly number[];
}

/** A base's postings of the words that were asked for, in memory and in step with the index. */
export interface PostingCache {
  /** Call it inside the snapshot that is searched, before anything else. */
  refresh(): void;
  readonly lengths: Pick<UnitLengths, "fields" | "units" | "newest">;
  /** Of a word, a phrase, or the beginning of a word. They may be read until the snapshot ends. */
  of(expression: Expression): Postings;
  /** Puts 1 at the number of each unit that holds it, deleted ones included. Nothing of it is kept. */
  mark(expression: Expression, units: Uint8Array): void;
  /**
   * The units that hold all words in one field with at most `between` others between the first and the last of them,
   * ascending; `match` says it in FTS5's words. Null when they are more than `most`.
   */
  close(expression: Expression, between: number, most: number): readonly number[] | null;
  /** In how many units a term stands, nearly: it is counted anew only when the index has grown by a twentieth. */
  frequency(term: string): number;
  /** Whether any unit holds a word or a phrase. */
  occurs(expression: Expression): boolean;
  /** The units that match an FTS5 expression, ascending; null when they are more than `most`. */
  holding(match: string, most: number): readonly number[] | null;
  /** These units are gone from the index: what is cached may still name them. */
  noteDeleted(numbers: readonly number[]): void;
  isDeleted(number: number): boolean;
  /** Memory taken. */
  bytes(): number;
  /** Gives the memory back; it is loaded anew when it is asked for. */
  forget(): void;
}

/** Each posting takes about 9 bytes: in a base of a million units these are those of some ten questions. */
export const POSTING_BYTES = 36 * 1024 * 1024;
/** Deleted units that are remembered one by one; beyond, the postings are read anew. */
const MAX_DELETED = 10_000;
/**
 * Postings of the words of a phrase that are brought into memory for it, at 30 ns each. FTS5 goes through as many at 20 ns,
 * each time.
 */
export const PHRASE_POSTINGS = 600_000;

export function createPostingCache(reader: IndexReader, maxBytes = POSTING_BYTES): PostingCache {
  const kept = createKept(maxBytes, () => reader.snapshots());
  let lengths = createUnitLengths(reader);
  const deleted = new Set<number>();
  const words = createWords(reader, kept, () => lengths.newest());
  const held = createHeldAnswers(reader);

  function forgetPostings(): void {
    kept.clear();
    held.clear();
    deleted.clear();
    words.forget();
  }

  return {
    refresh() {
      lengths.refresh();
      words.refresh();
      if (deleted.size > MAX_DELETED) forgetPostings();
    },
    get lengths() {
      return lengths;
    },
    of({ match, terms, offsets }) {
      const term = singleTerm(terms);
      if (term !== null) return words.of(term);
      return kept.grown(offsets ? `${match} ${offsets.join(" ")}` : match, lengths.newest(), (after) => {
        const meeting = words.meeting(terms, after);
        return meeting ? phraseOf(meeting, offsets) : readMatch(reader, match, after, lengths.fields());
      });
    },
    mark(expression, units) {
      const term = singleTerm(expression.terms);
      const isMarked = term !== null && words.mark(term, units);
      if (!isMarked) for (const number of this.of(expression).numbers) units[number] = 1;
    },
    close({ match, terms }, between, most) {
      const meeting = words.meeting(terms, 0);
      if (!meeting) return held.get(match, most, lengths.newest());
      const numbers = closeUnits(meeting, between);
      return numbers.length > most ? null : numbers;
    },
    frequency: (term) => words.frequency(term),
    occurs: (expression) => words.occurs(expression),
    holding: (match, most) => held.get(match, most, lengths.newest()),
    noteDeleted(numbers) {
      for (const number of numbers) deleted.add(number);
    },
    isDeleted: (number) => deleted.has(number),
    bytes: () => kept.bytes() + lengths.bytes(),
    forget() {
      forgetPostings();
      lengths = createUnitLengths(reader);
    },
  };
}

/** What is asked for where it is a single word; null for a phrase, and for what is no term. */
function singleTerm(terms: readonly string[] | null): string | null {
  return terms?.length === 1 ? terms[0]! : null;
}

/** Postings of single terms. */
interface Words {
  of(term: string): Postings;
  /** Where all words of a phrase are, behind a number; null when they are no terms, or have too many postings. */
  meeting(terms: readonly string[] | null, after: number): Meeting | null;
  /** False where its pages can't be read. */
  mark(term: string, units: Uint8Array): boolean;
  frequency(term: string): number;
  occurs(expression: Expression): boolean;
  /** Call it at the beginning of each snapshot. */
  refresh(): void;
  forget(): void;
}

function createWords(reader: IndexReader, kept: Kept, newest: () => number): Words {
  const pages = createWordPages(reader);
  const counts = createTermCounts(reader, pages);
  let latest: { readonly key: string; readonly meeting: Meeting } | null = null;
  const of = (term: string): Postings =>
    kept.grown(term, newest(), (after) => pages.postings(term, after) ?? readTerm(reader, term, after));
  // Not of what is kept, which would be exact: what a query asks for must not hang on what was asked before.
  const frequency = (term: string): number => counts.of(term, newest());
  return {
    of,
    meeting(terms, after) {
      if (terms === null || terms.length === 0) return null;
      const total = [...new Set(terms)].reduce((sum, term) => sum + frequency(term), 0);
      if (total > PHRASE_POSTINGS) return null;
      // The same query asks for its words as a phrase and close together; the next may find other postings in their memory.
      const key = `${reader.snapshots()} ${newest()} ${after} ${terms.join(" ")}`;
      if (latest?.key !== key) latest = { key, meeting: meet(terms.map(of), after) };
      return latest.meeting;
    },
    mark: (term, units) => pages.mark(term, units),
    frequency,
    refresh: () => pages.refresh(),
    occurs({ match, terms }) {
      const term = singleTerm(terms);
      if (term === null) return occurs(reader, match);
      // Where units are deleted, the ones that are counted may be those: FTS5 knows.
      return frequency(term) > 0 && (pages.isExact() || occurs(reader, match));
    },
    forget() {
      counts.clear();
      latest = null;
    },
  };
}
