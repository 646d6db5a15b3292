import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Locator } from "../../workers/contract.ts";
import { decodeUnitJson, encodeUnitJson } from "../../workers/search/unit-json.ts";

const locator: fc.Arbitrary<Locator> = fc.record(
  {
    page: fc.nat(),
    lineStart: fc.nat(),
    lineEnd: fc.nat(),
    sheet: fc.string(),
    range: fc.string(),
    slide: fc.nat(),
    chapter: fc.string(),
    timestampMs: fc.nat(),
    messageId: fc.string(),
  },
  { requiredKeys: [] },
);

describe("the unit's JSON column", () => {
  it("decodes to what was encoded", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.option(locator), (headings, place) => {
        const empty = place === null || Object.keys(place).length === 0;
        expect(decodeUnitJson(encodeUnitJson(headings, place))).toEqual({
          headings,
          locator: empty ? null : place,
        });
      }),
    );
  });

  it("is null when there is nothing to say", () => {
    expect(encodeUnitJson([], null)).toBeNull();
    expect(encodeUnitJson([], { page: undefined })).toBeNull();
    expect(decodeUnitJson(null)).toEqual({ headings: [], locator: null });
  });

  it.each(["", "{", "[]", "null", "7", '"x"', "{}", '{"headings":"x","locator":7}', '{"headings":[1]}'])(
    "reads %j of another maker as nothing",
    (json) => {
      expect(decodeUnitJson(json)).toEqual({ headings: [], locator: null });
    },
  );

  it("reads a bare locator of another maker", () => {
    expect(decodeUnitJson('{"page":3,"sheet":"S","odd":true}')).toEqual({
      headings: [],
      locator: { page: 3, sheet: "S" },
    });
  });
});
