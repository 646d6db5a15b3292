import { expect, it } from "vitest";
import { rangeToRenew, type PackHead } from "../../daemon/storage/index/vector-packs.ts";

/** Packs that follow one another over a hundred numbers each. */
function heads(...told: [units: number, deleted: number, unusable?: boolean][]): PackHead[] {
  return told.map(([units, deleted, unusable = false], at) => ({
    first: at * 100 + 1,
    last: at * 100 + 100,
    units,
    deleted,
    unusable,
  }));
}

it.each<[string, PackHead[], [first: number, last: number] | null]>([
  ["none are left alone", heads(), null],
  ["whole ones are left alone, small ones too", heads([10, 0], [10, 2], [100, 25]), null],
  ["one that holds many deleted units is made anew", heads([100, 0], [100, 26], [100, 0]), [101, 200]],
  ["one that can't be used is made anew", heads([100, 0, true]), [1, 100]],
  ["the first comes first", heads([100, 30], [100, 100]), [1, 200]],
  [
    "those behind come with it as far as there is room",
    heads([100, 90], [90, 40], [40, 0], [1, 0]),
    [1, 300],
  ],
  [
    "those before come with it as far as there is room",
    heads([100, 0], [20, 0], [50, 0], [80, 60], [90, 0]),
    [101, 400],
  ],
  ["one that is empty goes with the one behind it", heads([100, 0], [0, 0, true], [100, 0]), [101, 300]],
])("K8.6 of a base's packs of vectors: %s", (_, packs, range) => {
  const expected = range && { first: range[0], last: range[1] };
  expect(rangeToRenew(packs, 100)).toEqual(expected);
});
