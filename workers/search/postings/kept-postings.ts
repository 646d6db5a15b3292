import {
  bytesFor,
  extentOf,
  extentOfBoth,
  joinPostings,
  NO_POSTINGS,
  postingsIn,
  type Extent,
  type Postings,
} from "./postings.ts";
import { createSlabs, ENTRY_BYTES, roomIn, type Slab } from "./slabs.ts";

/** Entries by what they are of, within bounds. Terms have no quotes, expressions do. */
export interface Kept {
  /**
   * What is kept under a key with what came since: `read` answers what stands behind a number, 0 for all. It may be read
   * until the snapshot ends: after that its memory may be used for others. What was put in the longest ago, and not asked
   * for since, gives way.
   */
  grown(key: string, newest: number, read: (after: number) => Postings): Postings;
  bytes(): number;
  clear(): void;
}

interface Entry {
  readonly postings: Postings;
  /** Nothing above this number was looked at yet. */
  upTo: number;
  readonly slab: Slab;
  readonly start: number;
  /** It was asked for again since it stands where it does. */
  isUsed: boolean;
}

/** `snapshot` answers the number of the one that is under way. */
export function createKept(maxBytes: number, snapshot: () => number): Kept {
  const entries = new Map<string, Entry>();
  const slabs = createSlabs(maxBytes, snapshot, moveUsed);

  function put(key: string, extent: Extent, upTo: number, slab: Slab, isUsed: boolean): Entry {
    const postings = postingsIn(slab.buffer, slab.end, extent);
    const entry = { postings, upTo, slab, start: slab.end, isUsed };
    slab.end += bytesFor(extent);
    slab.keys.push(key);
    entries.set(key, entry);
    return entry;
  }

  /** Entries that were asked for again move to the beginning of another slab, as far as half of it; the others are gone. */
  function moveUsed(from: Slab, into: Slab, needed: number): void {
    const source = new Uint8Array(from.buffer);
    const mine = [...new Set(from.keys)].flatMap((key): [string, Entry][] => {
      const entry = entries.get(key);
      return entry?.slab === from ? [[key, entry]] : [];
    });
    // Should both be the same memory, nothing is written over that is yet to be moved.
    for (const [key, { postings, upTo, start, isUsed }] of mine.sort((a, b) => a[1].start - b[1].start)) {
      entries.delete(key);
      const extent = extentOf(postings);
      const size = bytesFor(extent);
      const isHalf = into.end + size > into.buffer.byteLength / 2;
      if (!isUsed || isHalf || roomIn(into) < size + needed + ENTRY_BYTES) continue;
      new Uint8Array(into.buffer).set(source.subarray(start, start + size), into.end);
      put(key, extent, upTo, into, false);
    }
  }

  function lend(entry: Entry): Postings {
    entry.slab.lentIn = snapshot();
    return entry.postings;
  }

  return {
    grown(key, newest, read) {
      const known = entries.get(key);
      if (known) {
        known.isUsed = true;
        lend(known);
        if (known.upTo === newest) return known.postings;
      }
      const before = known?.postings ?? NO_POSTINGS;
      const more = read(known?.upTo ?? 0);
      // What was read for it may have moved it, or taken its place.
      const current = entries.get(key);
      if (current && more.numbers.length === 0) {
        current.upTo = newest;
        return lend(current);
      }
      const extent = known ? extentOfBoth(before, more) : extentOf(more);
      const entry = put(key, extent, newest, slabs.roomFor(bytesFor(extent)), known !== undefined);
      joinPostings(before, more, entry.postings);
      return lend(entry);
    },
    bytes: () => slabs.bytes(),
    clear() {
      entries.clear();
      slabs.clear();
    },
  };
}
