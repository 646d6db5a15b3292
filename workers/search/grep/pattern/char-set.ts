/** Code points as sorted, disjoint, not adjacent ranges: [low, high, low, high, …], both ends included. */
export type CharSet = readonly number[];

export const MAX_CODE_POINT = 0x10ffff;

/** Of ranges in any order, overlapping or not. */
export function charSet(ranges: readonly (readonly [number, number])[]): CharSet {
  const sorted = ranges.toSorted((a, b) => a[0] - b[0]);
  const merged: number[] = [];
  for (const [low, high] of sorted) {
    const end = merged.at(-1);
    if (end !== undefined && low <= end + 1) merged[merged.length - 1] = Math.max(end, high);
    else merged.push(low, high);
  }
  return merged;
}

export function* rangesOf(set: CharSet): Generator<[number, number]> {
  for (let at = 0; at < set.length; at += 2) yield [set[at]!, set[at + 1]!];
}

export function isIn(set: CharSet, point: number): boolean {
  let low = 0;
  let high = set.length / 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (set[2 * middle + 1]! < point) low = middle + 1;
    else high = middle;
  }
  return low < set.length / 2 && set[2 * low]! <= point;
}

export function union(...sets: readonly CharSet[]): CharSet {
  return charSet(sets.flatMap((set) => [...rangesOf(set)]));
}

export function complement(set: CharSet): CharSet {
  const rest: number[] = [];
  let next = 0;
  for (const [low, high] of rangesOf(set)) {
    if (low > next) rest.push(next, low - 1);
    next = high + 1;
  }
  if (next <= MAX_CODE_POINT) rest.push(next, MAX_CODE_POINT);
  return rest;
}

export function intersection(a: CharSet, b: CharSet): CharSet {
  return complement(union(complement(a), complement(b)));
}

export function difference(a: CharSet, b: CharSet): CharSet {
  return intersection(a, complement(b));
}

export function symmetricDifference(a: CharSet, b: CharSet): CharSet {
  return union(difference(a, b), difference(b, a));
}
