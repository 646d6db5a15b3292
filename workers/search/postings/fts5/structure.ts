/** One part of an FTS5 index: pages of terms with their postings. Each row's postings are in one part alone. */
export interface Segment {
  readonly id: number;
  readonly firstPage: number;
  readonly lastPage: number;
  /** Rows have the number of the commit that wrote them; the highest of this part. */
  readonly newestOrigin: number;
  /** Pages that name its deleted rows. */
  readonly tombstonePages: number;
}

/** What the record of a table with `contentless_delete` has behind the cookie (SQLite's fts5_index.c, "structure record"). */
const SECOND_VERSION = [0xff, 0, 0, 1] as const;
const COOKIE_BYTES = 4;
/** FTS5's own bound. */
const MOST = 2000;

/**
 * FTS5's structure record → its segments, oldest first; those that an unfinished merge has emptied are left out. Null for a
 * record of another form.
 */
export function decodeStructure(block: Uint8Array): Segment[] | null {
  if (SECOND_VERSION.some((byte, at) => block[COOKIE_BYTES + at] !== byte)) return null;
  const values = integersOf(block.subarray(COOKIE_BYTES + SECOND_VERSION.length));
  let at = 0;
  const next = (): number => values[at++] ?? Number.NaN;
  const levels = next();
  const total = next();
  next();
  if (!(levels <= MOST && total <= MOST)) return null;
  const byLevel: Segment[][] = [];
  for (let level = 0; level < levels; level++) {
    next();
    const count = next();
    if (!(count <= total)) return null;
    byLevel.push(Array.from({ length: count }, () => segmentOf(next)));
  }
  const segments = byLevel.toReversed().flat();
  if (at !== values.length || segments.length !== total) return null;
  return segments.filter(({ firstPage }) => firstPage > 0);
}

function segmentOf(next: () => number): Segment {
  const [id, firstPage, lastPage] = [next(), next(), next()];
  next();
  const newestOrigin = next();
  const tombstonePages = next();
  next();
  next();
  return { id, firstPage, lastPage, newestOrigin, tombstonePages };
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
