import type { IndexReader } from "./index-reader.ts";

/** What a lane may answer with: a set of unit numbers, or something like one. */
export type UnitSet = Pick<ReadonlySet<number>, "has" | "size">;

const SOME = "SELECT 1 FROM hidden_units LIMIT 1";
const ALL = "SELECT first, last FROM hidden_units ORDER BY first";

/** Whether a revision is being staged, or on its way out. Call it in the snapshot that is searched. */
export function hidesUnits(reader: IndexReader): boolean {
  return reader.statement(SOME).get() !== undefined;
}

/**
 * A condition on a row of the word index: its unit is not hidden. They would else take the places of those that can be
 * seen. The plus keeps FTS5 from looking rows up one by one.
 */
export const NOT_HIDDEN = `
  AND coalesce((SELECT last FROM hidden_units WHERE first <= +unit_words.rowid ORDER BY first DESC LIMIT 1), 0)
    < unit_words.rowid`;

/** `accept` without the hidden units; null takes any. `total` is about how many there are in all. */
export function withoutHidden(
  reader: IndexReader,
  accept: ReadonlySet<number> | null,
  total: number,
): UnitSet | null {
  if (!hidesUnits(reader)) return accept;
  const ranges = reader.statement(ALL).raw().all() as [number, number][];
  const hidden = ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  return {
    size: accept?.size ?? Math.max(0, total - hidden),
    has: (number) => (accept?.has(number) ?? true) && !isIn(ranges, number),
  };
}

/** Ranges ascend and do not overlap. */
function isIn(ranges: readonly [number, number][], number: number): boolean {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ranges[middle]![0] <= number) low = middle + 1;
    else high = middle;
  }
  return low > 0 && ranges[low - 1]![1] >= number;
}
