/** Where a term's postings stand on the page that names it: bytes from `start` to before `end`. */
export interface Found {
  readonly start: number;
  readonly end: number;
  /** No other term stands behind it on this page: the postings may go on on the next. */
  readonly isLast: boolean;
}

export const HEADER_BYTES = 4;
const FIRST_TERM_BYTES = 64;

/** Where the first row number stands that comes before any term of the page, 0 where there is none. */
export function firstRow(page: Uint8Array): number {
  return (page[0]! << 8) | page[1]!;
}

/** Where the list of terms begins that stands at the page's end. */
export function footer(page: Uint8Array): number {
  return (page[2]! << 8) | page[3]!;
}

/** Where the page's first term stands; its footer where it has none. */
export function firstTerm(page: Uint8Array): number {
  const end = footer(page);
  return end < page.length ? integer(page, end).value : end;
}

/** The term on one of FTS5's leaf pages; null when it is not there. Throws RangeError for what is no such page. */
export function findTerm(page: Uint8Array, term: Uint8Array): Found | null {
  const contents = footer(page);
  /** Bytes that the terms so far have in common with the one that is looked for. */
  let equal = 0;
  for (let entry = entryAt(page, contents, 0); entry !== null; entry = entryAt(page, entry.at, entry.place)) {
    const { kept, from, added } = entry;
    // A shorter beginning in common than with the one before: all that follow are greater.
    if (kept < equal) return null;
    if (kept > equal) continue;
    equal += equalBytes(page, from, added, term, equal);
    if (equal === term.length && kept + added === term.length) return postingsOf(page, entry);
    if (isGreater(page, from, kept + added, kept, term, equal)) return null;
  }
  return null;
}

/** All terms of a page in their order; what is told is overwritten by the next. Throws RangeError for what is no such page. */
export function* termsOn(page: Uint8Array): Generator<Found & { readonly term: Uint8Array }, void> {
  let room = new Uint8Array(FIRST_TERM_BYTES);
  for (
    let entry = entryAt(page, footer(page), 0);
    entry !== null;
    entry = entryAt(page, entry.at, entry.place)
  ) {
    const { kept, from, added } = entry;
    if (kept > room.length) throw new RangeError("a term that begins as none before");
    if (kept + added > room.length) {
      const wider = new Uint8Array((kept + added) * 2);
      wider.set(room);
      room = wider;
    }
    room.set(page.subarray(from, from + added), kept);
    yield { term: room.subarray(0, kept + added), ...postingsOf(page, entry) };
  }
}

/** A term's place in the list at the page's end, and on the page. */
interface Entry {
  /** Where the list goes on. */
  readonly at: number;
  readonly place: number;
  /** Its bytes in common with the term before, and where the others stand and how many they are. */
  readonly kept: number;
  readonly from: number;
  readonly added: number;
}

/** Null behind the last one. `place` is that of the one before, 0 before the first. */
function entryAt(page: Uint8Array, at: number, before: number): Entry | null {
  if (at >= page.length) return null;
  const step = integer(page, at);
  const place = before + step.value;
  const kept = before === 0 ? { value: 0, next: place } : integer(page, place);
  const added = integer(page, kept.next);
  if (added.next + added.value > footer(page)) throw new RangeError("a term beyond its page");
  return { at: step.next, place, kept: kept.value, from: added.next, added: added.value };
}

function postingsOf(page: Uint8Array, { at, place, from, added }: Entry): Found {
  const isLast = at >= page.length;
  return { start: from + added, end: isLast ? footer(page) : place + integer(page, at).value, isLast };
}

function equalBytes(page: Uint8Array, from: number, most: number, term: Uint8Array, known: number): number {
  let count = 0;
  while (count < most && known + count < term.length && page[from + count] === term[known + count]) count++;
  return count;
}

/** Whether a term of the page, of `length` bytes, of which those from `kept` on are written at `from`, comes behind the term. */
function isGreater(
  page: Uint8Array,
  from: number,
  length: number,
  kept: number,
  term: Uint8Array,
  equal: number,
): boolean {
  if (equal === term.length) return length > term.length;
  return equal < length && page[from + equal - kept]! > term[equal]!;
}

/** A variable-length integer of at most eight bytes, and what comes behind it. */
export function integer(bytes: Uint8Array, at: number): { value: number; next: number } {
  let value = 0;
  for (let next = at; next < bytes.length && next < at + 8;) {
    const byte = bytes[next++]!;
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return { value, next };
  }
  throw new RangeError("an integer beyond its page");
}
