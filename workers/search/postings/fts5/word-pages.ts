import type { IndexReader } from "../../index-reader.ts";
import { markRows, PostingList } from "../posting-list.ts";
import type { Postings } from "../postings.ts";
import { createDoclists, pagesOf, type Doclists } from "./doclists.ts";
import { mergeTerms, segmentTerms } from "./segment-terms.ts";
import { decodeStructure, readableSegments, type Segment } from "./structure.ts";

/**
 * The postings of `unit_words`, read from the pages that FTS5 keeps them on: in a tenth of the time that its own virtual
 * tables take to hand them over one by one. The form is version 4 of SQLite's fts5_index.c; null for any other, which only
 * FTS5 itself can be asked for.
 */
export interface WordPages {
  /** Call it at the beginning of each snapshot. */
  refresh(): void;
  /** Of a term as the index has it, of the units behind a number. What is answered is overwritten by the next call. */
  postings(term: string, after: number): Postings | null;
  /** Puts 1 at the number of each unit that a term stands in, deleted ones included, in a third of the time. False for null. */
  mark(term: string, units: Uint8Array): boolean;
  /** In how many units a term stands, about, deleted ones included; exact where its postings take few pages. */
  frequency(term: string): number | null;
  /**
   * Terms behind this one, in the order of their bytes, with in how many units they stand, about. Read them in the snapshot
   * that they are asked in; throws RangeError on the way for what is another form.
   */
  terms(after: string): Terms | null;
  /** No row of the index is deleted that its pages still name. */
  isExact(): boolean;
}

type Terms = Generator<[term: string, units: number], void>;

interface Layout {
  readonly block: Buffer;
  /** Oldest first; null for another form. */
  readonly segments: readonly Segment[] | null;
  /** Rows that are deleted, once they were asked for. */
  gone: ReadonlySet<number> | null;
  readonly doclists: Doclists;
}

const KNOWN_VERSION = 4;
const VERSION = "SELECT v FROM unit_words_config WHERE k = 'version'";
const STRUCTURE = "SELECT block FROM unit_words_data WHERE id = 10";
/** Rows get the number of the commit that wrote them. Numbers of JavaScript are bound as REAL. */
const ORIGIN = `
  SELECT origin FROM unit_words_docsize WHERE id <= CAST(? AS INTEGER) ORDER BY id DESC LIMIT 1`;
/** The pages of a segment's deleted rows are numbered as those of one that stands so much further behind. */
const TOMBSTONES = 65_536;
const TOMBSTONE_HEADER_BYTES = 8;
/** Terms of the index itself begin with it; those of prefix indexes, which there are none of, with others. */
const MAIN_INDEX = "0";

export function createWordPages(reader: IndexReader): WordPages {
  const list = new PostingList();
  let isKnown: boolean | null = null;
  let layout: Layout | null = null;
  let isCurrent = false;

  function current(): Layout | null {
    if (isCurrent) return layout;
    isKnown ??= reader.statement(VERSION).pluck().get() === KNOWN_VERSION;
    const block = isKnown ? (reader.statement(STRUCTURE).pluck().get() as Buffer | undefined) : undefined;
    isCurrent = true;
    if (!block) layout = null;
    else if (!layout?.block.equals(block)) {
      const levels = decodeStructure(block);
      const segments = levels && readableSegments(levels);
      layout = { block, segments, gone: null, doclists: createDoclists(reader) };
    }
    return layout;
  }

  function postings(term: string, after: number): Postings | null {
    const mine = current();
    if (!mine?.segments) return null;
    const gone = goneOf(reader, mine);
    const origin = after > 0 ? originOf(reader, after) : 0;
    const key = keyOf(term);
    list.clear();
    for (const segment of mine.segments) {
      // Its rows are all known.
      if (segment.newestOrigin < origin) continue;
      const doclist = mine.doclists.read(segment, key);
      if (doclist && !list.take(doclist, after, gone)) return null;
    }
    return list.postings();
  }

  function frequency(term: string): number | null {
    const mine = current();
    if (!mine?.segments) return null;
    const key = keyOf(term);
    return mine.segments.reduce((sum, segment) => sum + mine.doclists.count(segment, key), 0);
  }

  function mark(term: string, units: Uint8Array): boolean {
    const mine = current();
    if (!mine?.segments) return false;
    const key = keyOf(term);
    return mine.segments.every((segment) => {
      const doclist = mine.doclists.read(segment, key);
      return doclist === null || markRows(doclist, units);
    });
  }

  return {
    refresh() {
      isCurrent = false;
    },
    terms: (after) => termsOf(reader, current(), after),
    mark: (term, units) => unlessOtherForm(() => mark(term, units)) === true,
    postings: (term, after) => unlessOtherForm(() => postings(term, after)),
    frequency: (term) => unlessOtherForm(() => frequency(term)),
    isExact: () => current()?.segments?.every(({ tombstonePages }) => tombstonePages === 0) === true,
  };
}

function goneOf(reader: IndexReader, layout: Layout): ReadonlySet<number> {
  layout.gone ??= new Set((layout.segments ?? []).flatMap((segment) => tombstonesOf(reader, segment)));
  return layout.gone;
}

function termsOf(reader: IndexReader, layout: Layout | null, after: string): Terms | null {
  if (!layout?.segments) return null;
  const gone = goneOf(reader, layout);
  return decoded(
    mergeTerms(layout.segments.map((segment) => segmentTerms(reader, segment, keyOf(after), gone))),
  );
}

function* decoded(told: ReturnType<typeof mergeTerms>): Terms {
  for (const { term, rows } of told) yield [Buffer.from(term).toString("utf8", MAIN_INDEX.length), rows];
}

/** What is no page of FTS5, or a damaged one, is left to FTS5: it knows what is wrong with it. */
function unlessOtherForm<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function keyOf(term: string): Buffer {
  return Buffer.from(MAIN_INDEX + term);
}

function originOf(reader: IndexReader, number: number): number {
  return (reader.statement(ORIGIN).pluck().get(number) as number | undefined) ?? 0;
}

/** Hash tables of row numbers of four or eight bytes; 0 is an empty place. */
function tombstonesOf(reader: IndexReader, { id, tombstonePages }: Segment): number[] {
  if (tombstonePages === 0) return [];
  return pagesOf(reader, id + TOMBSTONES, 0, tombstonePages - 1).flatMap((page) => {
    const { buffer, byteOffset, byteLength } = page;
    const view = new DataView(buffer, byteOffset, byteLength);
    const bytes = view.getUint8(0);
    if (bytes !== 4 && bytes !== 8) throw new RangeError("row numbers of another size");
    const numbers: number[] = [];
    for (let at = TOMBSTONE_HEADER_BYTES; at + bytes <= byteLength; at += bytes) {
      const number = bytes === 4 ? view.getUint32(at) : Number(view.getBigUint64(at));
      if (number !== 0) numbers.push(number);
    }
    return numbers;
  });
}
