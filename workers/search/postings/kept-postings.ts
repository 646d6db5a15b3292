import { joinPostings, sizeOf, type Postings } from "./postings.ts";

export interface Entry {
  readonly postings: Postings;
  /** Nothing above this number was looked at yet. */
  readonly upTo: number;
}

/** What one entry costs beside its postings. */
const ENTRY_BYTES = 300;

/** Entries by what they are of, within bounds. Terms have no quotes, expressions do. */
export interface Kept {
  peek(key: string): Entry | undefined;
  /**
   * What is kept under a key with what came since: `read` answers what stands behind a number, 0 for all. What was asked for
   * the longest ago gives way.
   */
  grown(key: string, newest: number, read: (after: number) => Postings): Postings;
  bytes(): number;
  clear(): void;
}

export function createKept(maxBytes: number): Kept {
  // A Map keeps the order of insertion: the first entry was asked for the longest ago.
  const entries = new Map<string, Entry>();
  let bytes = 0;
  const take = (key: string): Entry | undefined => {
    const entry = entries.get(key);
    if (!entry) return undefined;
    bytes -= bytesOf(entry.postings);
    entries.delete(key);
    return entry;
  };
  const keep = (key: string, entry: Entry): void => {
    bytes += bytesOf(entry.postings);
    entries.set(key, entry);
    for (const oldest of entries.keys()) {
      if (bytes <= maxBytes || oldest === key) return;
      take(oldest);
    }
  };
  return {
    peek: (key) => entries.get(key),
    grown(key, newest, read) {
      const known = take(key);
      const isWhole = known?.upTo === newest;
      const more = isWhole ? null : read(known?.upTo ?? 0);
      const postings = known && more ? joinPostings(known.postings, more) : (more ?? known!.postings);
      keep(key, { postings, upTo: newest });
      return postings;
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
