import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planQuery } from "../../workers/words/query.ts";
import { shapeBody, shapeTitle } from "../../workers/words/shape.ts";
import { spellingsOf } from "../../workers/words/spellings.ts";
import { joinedNumbers } from "../../workers/words/variants.ts";

/** What a query asks for beside its own words. */
function variants(query: string): string[] {
  const units = planQuery(query) ?? [];
  return units.filter(({ kind }) => kind === "variant").map(({ tokens }) => tokens.join(" "));
}

describe("the same written otherwise", () => {
  it.each([
    ["v2.16.5", ["2 16 5"]],
    ["2.16.5", ["v2 16 5"]],
    ["0x80070005", ["80070005"]],
    ["80070005", ["0x80070005"]],
    ["5 GB", ["5GB"]],
    ["1.5 kg", ["1.5kg"]],
    ["5 apples", []],
    ["real-time", ["realtime"]],
    ["package_lock", ["packagelock"]],
    ["src/words", []],
    ["+49 30 1234567", ["0x1234567", "49301234567"]],
    ["978-3-16-148410-0", ["9783161484100"]],
    ["keys rotate", []],
  ])("%s", (query, expected) => {
    expect(variants(query)).toEqual(expected);
  });

  it.each([
    ["colour", ["color"]],
    ["behavior", ["behaviour"]],
    ["organisation", ["organization"]],
    ["analyzed", ["analysed"]],
    ["centres", ["centers"]],
    ["dialog", ["dialogue"]],
    ["license", ["licence"]],
    ["travelled", ["traveled"]],
    ["grey", ["gray"]],
    ["matrix", ["matrices"]],
    ["vertices", ["vertix", "vertex"]],
    ["Bruecke", ["brucke"]],
    ["München", ["muenchen"]],
    ["ספרייה", ["הספרייה", "בספרייה", "לספרייה", "וספרייה", "מספרייה", "כספרייה", "שספרייה"]],
  ])("%s may be spelled in other ways", (word, expected) => {
    expect(spellingsOf(word).filter((other) => expected.includes(other))).toEqual(expected);
  });

  it("most words have none", () => {
    for (const word of ["keys", "rotate", "Go", "令牌", "ключ", "x1"]) expect(spellingsOf(word)).toEqual([]);
  });

  it("a word never is another spelling of itself, and they are few", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80, unit: "grapheme" }), (word) => {
        const found = spellingsOf(word);
        expect(found).not.toContain(word.toLowerCase());
        expect(found.length).toBeLessThanOrEqual(12);
      }),
    );
  });

  it("the beginning of a hash may go on, a word or a number may not", () => {
    const kinds = (query: string) => planQuery(query)!.map(({ kind }) => kind);
    expect(kinds("3f2a9c1")).toContain("prefix");
    for (const query of ["defaced", "20240317", "3f2a9c"]) expect(kinds(query)).not.toContain("prefix");
  });
});

describe("numbers in groups", () => {
  it.each([
    ["Call +49 30 1234567 now", ["49301234567"]],
    ["tel. (030) 123 45 67.", ["0301234567"]],
    ["ISBN 978-3-16-148410-0", ["9783161484100"]],
    ["ISBN 3-16-148410-X", ["316148410X"]],
    ["rows 1 2 3 4 5 6 7 8 9", []],
    ["on 2024-03-17", []],
    ["3.14 and 2.71", []],
  ])("%s", (text, expected) => {
    expect(joinedNumbers(text)).toEqual(expected);
  });

  it("are found in time that grows with the text alone", () => {
    for (const text of [
      "0 ".repeat(200_000),
      "+1 ".repeat(100_000),
      "97 ".repeat(100_000),
      "1-".repeat(200_000),
    ])
      expect(joinedNumbers(text).length).toBeLessThanOrEqual(text.length);
  });
});

describe("letters that no normalisation takes apart", () => {
  it.each([
    ["Straße", "Strasse"],
    ["ışık", "işik"],
    ["Ærø", "AEro"],
    ["inter\u00ADnational", "international"],
    ["สำรองข้อมูล", shapeBody("สำรอง ข้อมูล", "text").trim().replace(/\s+/g, " ")],
  ])("%s is %s", (text, expected) => {
    expect(shapeBody(text, "text").trim()).toBe(expected);
  });

  it("tags and other names of a document are words of its titles, each once", () => {
    const shaped = shapeTitle({
      relativePath: "a.md",
      title: "Plan",
      headings: ["Plan"],
      names: ["Plan", "garden/tomato", "c#"],
      format: "markdown",
    });
    expect(shaped.split("\n")).toEqual(["Plan", "garden/tomato", " csharp ", "a.md"]);
  });
});
