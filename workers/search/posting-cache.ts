import { createHeldAnswers } from "./held-answers.ts";
import type { IndexReader } from "./index-reader.ts";
import { joinPostings, type Postings, readMatch, readTerm, sizeOf } from "./postings.ts";
import { createTermCounts } from "./term-frequency.ts";
import { createUnitLengths, type UnitLengths } from "./unit-lengths.ts";

/** A base's postings of the words that were asked for, in memory and in step with the index. */
export interface PostingCache {
  /** Call it inside the snapshot that is searched, before anything else. */
  refresh(): void;
  readonly lengths: Pick<UnitLengths, "fields" | "units" | "newest">;
  /** Of an FTS5 expression of one phrase; `term` is what the index calls it where it is a single word. */
  of(match: string, term: string | null): Postings;
  /** In how many units a term stands, nearly: it is counted anew only when the index has grown by a twentieth. */
  frequency(term: string): number;
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

interface Entry {
  readonly postings: Postings;
  /** Nothing above this number was looked at yet. */
  readonly upTo: number;
  /** Units that were read with their places. */
  readonly placed: number;
}

/** Each posting takes 7 to 11 bytes: in a base of a million units these are those of about seventy questions. */
export const POSTING_BYTES = 64 * 1024 * 1024;
/** What one entry costs beside its postings. */
const ENTRY_BYTES = 300;
/** Units that may have come since a term was read, as a share: beyond it is read anew, for places are told of it as a whole. */
const UNPLACED = 0.1;
/** Deleted units that are remembered one by one; beyond, the postings are read anew. */
const MAX_DELETED = 10_000;

export function createPostingCache(reader: IndexReader, maxBytes = POSTING_BYTES): PostingCache {
  const kept = createKept(maxBytes);
  let lengths = createUnitLengths(reader);
  const deleted = new Set<number>();
  const counts = createTermCounts(reader);
  const held = createHeldAnswers(reader);

  function forgetPostings(): void {
    kept.clear();
    held.clear();
    deleted.clear();
    counts.clear();
  }

  /** What is known of it with what came since; a unit that came since has no places. */
  function grown(match: string, term: string | null, known: Entry): Entry {
    const newest = lengths.newest();
    const tail = readMatch(reader, match, known.upTo, lengths.fields());
    const postings = joinPostings(known.postings, tail);
    const unplaced = postings.places === null ? 0 : postings.numbers.length - known.placed;
    if (term !== null && unplaced > UNPLACED * known.placed) return readAll(match, term);
    return { postings, upTo: newest, placed: known.placed };
  }

  function readAll(match: string, term: string | null): Entry {
    const postings = term === null ? readMatch(reader, match, 0, lengths.fields()) : readTerm(reader, term);
    return { postings, upTo: lengths.newest(), placed: postings.numbers.length };
  }

  return {
    refresh() {
      lengths.refresh();
      if (deleted.size > MAX_DELETED) forgetPostings();
    },
    get lengths() {
      return lengths;
    },
    of(match, term) {
      const known = kept.take(match);
      const isWhole = known?.upTo === lengths.newest();
      const entry = known ? (isWhole ? known : grown(match, term, known)) : readAll(match, term);
      kept.keep(match, entry);
      return entry.postings;
    },
    frequency: (term) => counts.of(term, lengths.newest()),
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

/** Entries by what they are of, within bounds. */
interface Kept {
  /** The entry, which is kept no longer. */
  take(match: string): Entry | undefined;
  /** What was asked for the longest ago gives way. */
  keep(match: string, entry: Entry): void;
  bytes(): number;
  clear(): void;
}

function createKept(maxBytes: number): Kept {
  // A Map keeps the order of insertion: the first entry was asked for the longest ago.
  const entries = new Map<string, Entry>();
  let bytes = 0;
  const take = (match: string): Entry | undefined => {
    const entry = entries.get(match);
    if (!entry) return undefined;
    bytes -= bytesOf(entry.postings);
    entries.delete(match);
    return entry;
  };
  return {
    take,
    keep(match, entry) {
      bytes += bytesOf(entry.postings);
      entries.set(match, entry);
      for (const oldest of entries.keys()) {
        if (bytes <= maxBytes || oldest === match) return;
        take(oldest);
      }
    },
    bytes: () => bytes,
    clear() {
      entries.clear();
      bytes = 0;
    },
  };
}

function bytesOf(postings: Postings): number {
  return sizeOf(postings) + ENTRY_BYTES;
}
