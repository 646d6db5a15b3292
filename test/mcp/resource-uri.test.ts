import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { conceptUri, parseConceptUri } from "../../rpc/mcp/resource-uri.ts";

const baseId = "3f0f7f4e-7d3b-4b43-9d7e-6e8f6f6e2a10";

describe("the URI of a document", () => {
  it("leads back to the document, whatever its path is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (conceptId) => {
        expect(parseConceptUri(conceptUri(baseId, conceptId))).toEqual({
          baseId,
          conceptId,
          from: 0,
          to: null,
        });
      }),
    );
    expect(conceptUri(baseId, "a b/ü?#.md")).toBe(`knowd://${baseId}/a%20b/%C3%BC%3F%23.md`);
  });

  it("may name a window", () => {
    expect(parseConceptUri(`knowd://${baseId}/a.md?from=20000&to=20001`)).toMatchObject({
      from: 20_000,
      to: 20_001,
    });
  });

  it.each([
    "",
    "knowd:",
    "knowd://",
    `knowd://${baseId}`,
    `knowd://${baseId}/`,
    "knowd:///a.md",
    `file://${baseId}/a.md`,
    `knowd://${baseId}/%E0%A4%A`,
    `knowd://${baseId}/a.md#x`,
    `knowd://${baseId}/a.md?from=-1`,
    `knowd://${baseId}/a.md?from=1e3`,
    `knowd://${baseId}/a.md?from=5&to=4`,
    `knowd://${baseId}/a.md?form=5`,
    `knowd://${baseId}/a.md?from=1?to=2`,
  ])("is none when it is %j", (uri) => {
    expect(parseConceptUri(uri)).toBeNull();
  });
});
