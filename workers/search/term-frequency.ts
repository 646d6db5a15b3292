import type { IndexReader } from "./index-reader.ts";

const FREQUENCY = "SELECT doc FROM temp.word_frequency WHERE term = ?";

/** In how many units of the index a term stands; deleted ones may still be counted. */
export function frequencyOfTerm(reader: IndexReader, term: string): number {
  return (reader.statement(FREQUENCY).pluck().get(term) as number | undefined) ?? 0;
}
