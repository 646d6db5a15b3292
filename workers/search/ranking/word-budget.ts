import type { QueryUnit } from "../../words/query.ts";

/**
 * The units of a query whose postings fit together into `maxPostings`, in their order. The rarest come first, for they
 * tell most; the very rarest is always kept.
 */
export function withinBudget(
  units: readonly QueryUnit[],
  frequencyOf: (unit: QueryUnit) => number,
  maxPostings: number,
): QueryUnit[] {
  const byRarity = units
    .map((unit, at) => ({ at, frequency: frequencyOf(unit) }))
    .sort((a, b) => a.frequency - b.frequency || a.at - b.at);
  const kept = new Set<number>();
  let postings = 0;
  for (const { at, frequency } of byRarity) {
    postings += frequency;
    if (kept.size > 0 && postings > maxPostings) break;
    kept.add(at);
  }
  return units.filter((_, at) => kept.has(at));
}
