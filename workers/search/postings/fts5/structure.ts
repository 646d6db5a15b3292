/** One part of an FTS5 index: pages of terms with their postings. Each row's postings are in one part alone. */
export interface Segment {
  readonly id: number;
  readonly firstPage: number;
  readonly lastPage: number;
  /** Rows have the number of the commit that wrote them; the highest of this part. */
  readonly newestOrigin: number;
  /** Pages that name its deleted rows. */
  readonly tombstonePages: number;
  /** Rows that are deleted but still in it, and all. */
  readonly deletedRows: number;
  readonly rows: number;
}

export interface Level {
  /** Segments that a merge under way takes in. */
  readonly inMerge: number;
  /** Oldest first. */
  readonly segments: readonly Segment[];
}

/** What the record of a table with `contentless_delete` has behind the cookie (SQLite's fts5_index.c, "structure record"). */
const SECOND_VERSION = [0xff, 0, 0, 1] as const;
const COOKIE_BYTES = 4;
/** FTS5's own bound. */
const MOST = 2000;

/** FTS5's structure record → its levels, each of older segments than those before. Null for a record of another form. */
export function decodeStructure(block: Uint8Array): Level[] | null {
  if (SECOND_VERSION.some((byte, at) => block[COOKIE_BYTES + at] !== byte)) return null;
  const values = integersOf(block.subarray(COOKIE_BYTES + SECOND_VERSION.length));
  let at = 0;
  const next = (): number => values[at++] ?? Number.NaN;
  const count = next();
  const total = next();
  next();
  if (!(count <= MOST && total <= MOST)) return null;
  const levels: Level[] = [];
  let found = 0;
  for (let level = 0; level < count; level++) {
    const inMerge = next();
    const length = next();
    if (!(length <= total)) return null;
    levels.push({ inMerge, segments: Array.from({ length }, () => segmentOf(next)) });
    found += length;
  }
  return at === values.length && found === total ? levels : null;
}

/** Those that are read, oldest first: what an unfinished merge has emptied is left out. */
export function readableSegments(levels: readonly Level[]): Segment[] {
  return levels
    .toReversed()
    .flatMap(({ segments }) => segments)
    .filter(({ firstPage }) => firstPage > 0);
}

function segmentOf(next: () => number): Segment {
  const [id, firstPage, lastPage] = [next(), next(), next()];
  next();
  const newestOrigin = next();
  const [tombstonePages, deletedRows, rows] = [next(), next(), next()];
  return { id, firstPage, lastPage, newestOrigin, tombstonePages, deletedRows, rows };
}

/** SQLite's variable-length integers: seven bits a byte, the highest first, eight in the ninth. */
export function integersOf(bytes: Uint8Array): number[] {
  const found: number[] = [];
  let [value, length] = [0, 0];
  for (const byte of bytes) {
    length++;
    value = length === 9 ? value * 256 + byte : value * 128 + (byte & 0x7f);
    if (byte >= 0x80 && length < 9) continue;
    found.push(value);
    [value, length] = [0, 0];
  }
  return found;
}
