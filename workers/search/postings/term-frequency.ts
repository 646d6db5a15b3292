import type { WordPages } from "./fts5/word-pages.ts";
import type { IndexReader } from "../index-reader.ts";

/** In how many units of an index terms stand, nearly. */
export interface TermCounts {
  /** Deleted units may still be counted. `newest`: the highest unit number. */
  of(term: string, newest: number): number;
  clear(): void;
}

/** FTS5 counts by going through all postings: 15 ms for half a million. */
const FREQUENCY = "SELECT doc FROM temp.word_frequency WHERE term = ?";
const MAX_TERMS = 20_000;
/** So much an index may grow before a term that it has is counted anew. */
const GROWN = 1.05;

export function createTermCounts(reader: IndexReader, pages: WordPages): TermCounts {
  const counts = new Map<string, { readonly units: number; readonly upTo: number }>();
  const count = (term: string): number =>
    pages.frequency(term) ?? (reader.statement(FREQUENCY).pluck().get(term) as number | undefined) ?? 0;
  return {
    of(term, newest) {
      const known = counts.get(term);
      // One that stands nowhere may stand in what came since.
      if (known && newest <= known.upTo * (known.units > 0 ? GROWN : 1)) return known.units;
      if (counts.size >= MAX_TERMS) counts.clear();
      const units = count(term);
      counts.set(term, { units, upTo: newest });
      return units;
    },
    clear: () => counts.clear(),
  };
}
