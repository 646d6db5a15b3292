import type { IndexReader } from "./index-reader.ts";
import { unitCount } from "./units.ts";

/** What a lane may answer with: a set of unit numbers, or something like one. */
export type UnitSet = Pick<ReadonlySet<number>, "has" | "size">;

const SOME = "SELECT 1 FROM hidden_units LIMIT 1";
const ALL = "SELECT first, last FROM hidden_units ORDER BY first";

/** `accept` without the units of a revision that is being staged, or on its way out; null takes any. */
export function withoutHidden(reader: IndexReader, accept: UnitSet | null): UnitSet | null {
  if (reader.statement(SOME).get() === undefined) return accept;
  const total = unitCount(reader);
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
