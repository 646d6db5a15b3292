import type { IndexReader } from "../index-reader.ts";

/** Which units match an FTS5 expression; of those that are gone since, some may still be named. */
export interface HeldAnswers {
  /** Ascending; null when they are more than `most`. `newest` is the highest number in the snapshot that is searched. */
  get(match: string, most: number, newest: number): readonly number[] | null;
  clear(): void;
}

const MAX_ANSWERS = 5000;
/** Unit numbers in all answers together, at 8 bytes each. */
const MAX_NUMBERS = 500_000;
/** Numbers of JavaScript are bound as REAL, by which FTS5 skips nothing. */
const HOLDING =
  "SELECT rowid FROM unit_words WHERE unit_words MATCH ? AND rowid > CAST(? AS INTEGER) LIMIT ?";

export function createHeldAnswers(reader: IndexReader): HeldAnswers {
  const answers = new Map<string, { numbers: readonly number[] | null; newest: number; most: number }>();
  let held = 0;
  const clear = (): void => {
    answers.clear();
    held = 0;
  };
  /** Behind a number: numbers are never used again, so what is known of those before stays true. */
  const holding = (match: string, after: number, most: number): number[] =>
    reader.statement(HOLDING).pluck().all(match, after, most) as number[];
  return {
    get(match, most, newest) {
      const known = answers.get(match);
      if (known?.newest === newest && (known.numbers ? known.numbers.length <= most : known.most >= most))
        return known.numbers;
      const grown = known?.numbers && [...known.numbers, ...holding(match, known.newest, most + 1)];
      const found = grown && grown.length <= most ? grown : holding(match, 0, most + 1);
      const numbers = found.length > most ? null : found;
      held += (numbers?.length ?? 0) - (known?.numbers?.length ?? 0);
      if (answers.size >= MAX_ANSWERS || held > MAX_NUMBERS) clear();
      answers.set(match, { numbers, newest, most });
      return numbers;
    },
    clear,
  };
}
