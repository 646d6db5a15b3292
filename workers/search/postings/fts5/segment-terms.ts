import type { IndexReader } from "../../index-reader.ts";
import { PAGE_BEHIND, PAGE_OF, pagesOf } from "./doclists.ts";
import { firstRow, firstTerm, integer, termsOn } from "./leaf.ts";
import type { Segment } from "./structure.ts";

export interface TermRows {
  readonly term: Uint8Array;
  /** That have it and are not gone; of those that take several pages as many as the first of these lets expect. */
  readonly rows: number;
}

/**
 * The terms of a segment behind `after`, in the order of their bytes. Pages that name no term are passed over: they are most
 * of a large index. Throws RangeError for what is not FTS5's.
 */
export function* segmentTerms(
  reader: IndexReader,
  segment: Segment,
  after: Uint8Array,
  gone: ReadonlySet<number>,
): Generator<TermRows, void> {
  const pageAt = (number: number): Uint8Array => pagesOf(reader, segment.id, number, number)[0]!;
  const named = reader.statement(PAGE_OF).pluck().get(segment.id, after) as number | undefined;
  let number = Math.max(named ?? 0, segment.firstPage);
  let isBehind = false;
  for (let page: Uint8Array | null = pageAt(number); page !== null;) {
    let next: Uint8Array | null = null;
    let isNamed = false;
    for (const { term, start, end, isLast } of termsOn(page)) {
      isNamed = true;
      let rows = rowsBetween(page, start, end, gone);
      if (isLast) {
        const behind = reader.statement(PAGE_BEHIND).pluck().get(segment.id, term) as number | undefined;
        if (behind !== undefined && behind <= number) throw new RangeError("pages of terms in another order");
        const until = behind ?? segment.lastPage + 1;
        next = behind === undefined ? null : pageAt(behind);
        rows += rowsOf(pageAt, number + 1, until, gone) + (next ? rowsOn(next, gone) : 0);
        number = until;
      }
      isBehind ||= Buffer.compare(term, after) > 0;
      if (rows > 0 && isBehind) yield { term, rows };
    }
    if (!isNamed) throw new RangeError("a page without a term");
    page = next;
  }
}

/** Terms of several segments as those of one. What is told is overwritten by the next. */
export function* mergeTerms(told: readonly Generator<TermRows, void>[]): Generator<TermRows, void> {
  const coming = told.flatMap((rest) => {
    const head = rest.next();
    return head.done === true ? [] : [{ rest, head: head.value }];
  });
  while (coming.length > 0) {
    const least = coming.reduce((one, other) => (isBefore(other.head, one.head) ? other : one));
    const term = Uint8Array.from(least.head.term);
    let rows = 0;
    for (const one of coming.filter(({ head }) => Buffer.compare(head.term, term) === 0)) {
      rows += one.head.rows;
      const next = one.rest.next();
      if (next.done === true) coming.splice(coming.indexOf(one), 1);
      else one.head = next.value;
    }
    yield { term, rows };
  }
}

function isBefore(one: TermRows, other: TermRows): boolean {
  return Buffer.compare(one.term, other.term) < 0;
}

/** On pages that hold postings of one term alone: as many on each as on the first that has any. */
function rowsOf(
  pageAt: (number: number) => Uint8Array,
  first: number,
  until: number,
  gone: ReadonlySet<number>,
) {
  for (let number = first; number < until; number++) {
    const rows = rowsOn(pageAt(number), gone);
    if (rows > 0) return rows * (until - number);
  }
  return 0;
}

/** Of a term that began on a page before: those that begin on this one. */
function rowsOn(page: Uint8Array, gone: ReadonlySet<number>): number {
  const from = firstRow(page);
  return from === 0 ? 0 : rowsBetween(page, from, firstTerm(page), gone);
}

/** Numbers are skipped where none can be gone: a third of the time. */
function rowsBetween(page: Uint8Array, from: number, end: number, gone: ReadonlySet<number>): number {
  let [rows, row] = [0, 0];
  for (let at = from; at < end; rows++) {
    if (gone.size > 0) {
      row += integer(page, at).value;
      if (gone.has(row)) rows--;
    }
    while (page[at++]! >= 0x80);
    let size = 0;
    let byte = 0x80;
    for (; byte >= 0x80 && at < end; size = size * 128 + (byte & 0x7f)) byte = page[at++]!;
    at += size >> 1;
  }
  return rows;
}
