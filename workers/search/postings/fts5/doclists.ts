import type { IndexReader } from "../../index-reader.ts";
import type { Doclist } from "../posting-list.ts";
import { findTerm, firstRow, firstTerm, footer, HEADER_BYTES, integer, type Found } from "./leaf.ts";
import type { Segment } from "./structure.ts";

/**
 * Reads the postings of terms from the pages of segments, as long as these are what they were. Throws RangeError where they
 * have another form.
 */
export interface Doclists {
  /** Null where the segment has none. What is answered is overwritten by the next call. */
  read(segment: Segment, term: Uint8Array): Doclist | null;
  /** How many rows they name; of postings that take several pages as many as their second page lets expect. */
  count(segment: Segment, term: Uint8Array): number;
}

interface Place extends Found {
  readonly number: number;
  readonly page: Uint8Array;
  /** The first page behind that names another term: postings may go on up to where it does. Undefined where there is none. */
  readonly behind: number | undefined;
}

/** Numbers of JavaScript are bound as REAL. A page's id is that of its segment, 37 bits to the left, and its number. */
const ID = "(CAST(? AS INTEGER) << 37) + CAST(? AS INTEGER)";
const PAGES = `SELECT block FROM unit_words_data WHERE id BETWEEN ${ID} AND ${ID} ORDER BY id`;
/** The last bit tells whether there is an index of the pages behind. With a CAST the key would be of no use for `segid`. */
export const PAGE_OF = `
  SELECT pgno >> 1 FROM unit_words_idx WHERE segid = ? AND term <= ? ORDER BY term DESC LIMIT 1`;
export const PAGE_BEHIND = `
  SELECT pgno >> 1 FROM unit_words_idx WHERE segid = ? AND term > ? ORDER BY term LIMIT 1`;
/** Pages that are read at once. */
const MOST_PAGES = 256;
/** Places of terms that are remembered, for who counts a word mostly reads it next; with a page each. */
const MAX_PLACES = 256;
/** Room that is kept for the next term. */
const KEPT_BYTES = 1 << 20;

export function pagesOf(reader: IndexReader, segment: number, first: number, last: number): Uint8Array[] {
  const found = reader.statement(PAGES).pluck().all(segment, first, segment, last) as Uint8Array[];
  if (found.length !== last - first + 1) throw new RangeError("a page is missing");
  return found;
}

export function createDoclists(reader: IndexReader): Doclists {
  const placeOf = createPlaces(reader);
  let room = new Uint8Array(KEPT_BYTES / 16);
  let length = 0;

  function add(page: Uint8Array, start: number, end: number): void {
    if (length + end - start > room.length) {
      const wider = new Uint8Array((length + end - start) * 2);
      wider.set(room.subarray(0, length));
      room = wider;
    }
    room.set(page.subarray(start, end), length);
    length += end - start;
  }

  function read(segment: Segment, place: Place): Doclist {
    if (room.length > KEPT_BYTES) room = new Uint8Array(KEPT_BYTES);
    length = 0;
    const absolutes = [0];
    add(place.page, place.start, place.end);
    if (!place.isLast) return { bytes: room.subarray(0, length), absolutes };
    for (const page of following(reader, segment, place)) {
      const end = firstTerm(page);
      const row = firstRow(page);
      const at = length + row - HEADER_BYTES;
      if (row !== 0 && row < end && at > 0) absolutes.push(at);
      add(page, HEADER_BYTES, end);
      if (end < footer(page)) break;
    }
    return { bytes: room.subarray(0, length), absolutes };
  }

  return {
    read(segment, term) {
      const place = placeOf(segment, term);
      return place && read(segment, place);
    },
    count(segment, term) {
      const place = placeOf(segment, term);
      if (!place) return 0;
      if (!place.isLast) return countRows(place.page, place.start, place.end);
      const pages = (place.behind ?? segment.lastPage + 1) - place.number - 1;
      if (pages < 2) {
        const { bytes } = read(segment, place);
        return countRows(bytes, 0, bytes.length);
      }
      const [second] = pagesOf(reader, segment.id, place.number + 1, place.number + 1);
      const from = firstRow(second!);
      const end = firstTerm(second!);
      const rows = from === 0 ? 1 : countRows(second!, from, end);
      const bytes = place.end - place.start + pages * (end - HEADER_BYTES);
      return Math.max(1, Math.round((rows * bytes) / (end - HEADER_BYTES)));
    },
  };
}

/** Finds where terms stand, and remembers it. */
function createPlaces(reader: IndexReader): (segment: Segment, term: Uint8Array) => Place | null {
  const places = new Map<string, Place | null>();
  return (segment, term) => {
    const key = `${segment.id} ${Buffer.from(term).toString("latin1")}`;
    let place = places.get(key);
    if (place === undefined) {
      if (places.size >= MAX_PLACES) places.clear();
      place = placeOn(reader, segment, term);
      places.set(key, place);
    }
    return place;
  };
}

function placeOn(reader: IndexReader, segment: Segment, term: Uint8Array): Place | null {
  const named = reader.statement(PAGE_OF).pluck().get(segment.id, term) as number | undefined;
  const number = Math.max(named ?? 0, segment.firstPage);
  const [page] = pagesOf(reader, segment.id, number, number);
  const found = page ? findTerm(page, term) : null;
  if (!found) return null;
  const behind = found.isLast ? reader.statement(PAGE_BEHIND).pluck().get(segment.id, term) : undefined;
  return { ...found, number, page: page!, behind: behind as number | undefined };
}

function* following(reader: IndexReader, segment: Segment, place: Place): Generator<Uint8Array> {
  const last = Math.min(segment.lastPage, place.behind ?? segment.lastPage);
  for (let first = place.number + 1; first <= last; first += MOST_PAGES)
    yield* pagesOf(reader, segment.id, first, Math.min(last, first + MOST_PAGES - 1));
}

/** Postings that begin before `end`. */
function countRows(bytes: Uint8Array, from: number, end: number): number {
  let rows = 0;
  for (let at = from; at < end; rows++) {
    const size = integer(bytes, integer(bytes, at).next);
    at = size.next + Math.floor(size.value / 2);
  }
  return rows;
}
