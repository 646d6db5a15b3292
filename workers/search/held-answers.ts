import type { IndexReader } from "./index-reader.ts";

/** Which units match an FTS5 expression, as long as the index stays as it is. */
export interface HeldAnswers {
  /** Ascending; null when they are more than `most`. `newest` is the highest number in the snapshot that is searched. */
  get(match: string, most: number, newest: number): readonly number[] | null;
  clear(): void;
}

const MAX_ANSWERS = 5000;
/** Unit numbers in all answers together, at 8 bytes each. */
const MAX_NUMBERS = 500_000;
const HOLDING = "SELECT rowid FROM unit_words WHERE unit_words MATCH ? LIMIT ?";

export function createHeldAnswers(reader: IndexReader): HeldAnswers {
  const answers = new Map<string, { numbers: readonly number[] | null; newest: number }>();
  let held = 0;
  const clear = (): void => {
    answers.clear();
    held = 0;
  };
  return {
    get(match, most, newest) {
      const known = answers.get(match);
      if (known?.newest === newest) return known.numbers;
      const found = reader
        .statement(HOLDING)
        .pluck()
        .all(match, most + 1) as number[];
      const numbers = found.length > most ? null : found;
      held += (numbers?.length ?? 0) - (known?.numbers?.length ?? 0);
      if (answers.size >= MAX_ANSWERS || held > MAX_NUMBERS) clear();
      answers.set(match, { numbers, newest });
      return numbers;
    },
    clear,
  };
}
