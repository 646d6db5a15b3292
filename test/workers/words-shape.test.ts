import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { humpParts, shapeBody, shapeTitle, spelledNames } from "../../workers/words/shape.ts";

const words = (text: string, format = "markdown"): string[] =>
  shapeBody(text, format).split(/\s+/).filter(Boolean);

describe("the shape of a text", () => {
  it("is the text itself for plain ASCII", () => {
    const text = "How to rotate keys: see foo_bar, v1.2.3 and package-lock.json.";
    expect(shapeBody(text, "markdown")).toBe(text);
  });

  it.each([
    ["C# and F#", ["csharp", "and", "fsharp"]],
    ["C++, g++", ["cplusplus", ",", "gplusplus"]],
    [".NET and ASP.NET", ["dotnet", "and", "ASP", "dotnet"]],
    ["issue #5, a#b, x++y, example.net", ["issue", "#5,", "a#b,", "x++y,", "example.net"]],
  ])("spells out names that punctuation tells apart: %s", (text, expected) => {
    expect(words(text)).toEqual(expected);
  });

  it.each([
    ["令牌登录", ["令牌", "牌登", "登录", "录"]],
    ["认证", ["认证", "证"]],
    ["月", ["月"]],
    ["東京タワー", ["東京", "京タ", "タワ", "ワー", "ー"]],
    ["서울시", ["서울", "울시", "시"]],
    ["ＡＢＣ①", ["ABC1"]],
    ["𠮷野家", ["𠮷野", "野家", "家"]],
  ])("cuts CJK into overlapping pairs and keeps the last character beside them: %s", (text, expected) => {
    expect(words(text)).toEqual(expected);
  });

  it.each([
    ["перехватывали", "перех"],
    ["Ёлка", "Елка"],
    ["άνθρωπος", "ανθρω"],
    ["العَرَبِيَّة", "عربيه"],
  ])("cuts and folds words of other scripts: %s", (text, expected) => {
    expect(words(text)).toEqual([expected]);
  });

  it("keeps words of Indic scripts whole and cuts Thai into words", () => {
    expect(words("हिन्दी भाषा").every((word) => /^[\p{L}]+$/u.test(word))).toBe(true);
    expect(words("ภาษาไทย")).toEqual(["ภาษา", "ไทย"]);
  });

  it("names the parts of identifiers in code alone", () => {
    expect(words("class HTTPServer { fooBar(PDFs, iOS) }", "code").slice(-4)).toEqual([
      "HTTP",
      "Server",
      "foo",
      "Bar",
    ]);
    expect(words("HTTPServer fooBar")).toEqual(["HTTPServer", "fooBar"]);
    expect(humpParts("getX")).toEqual([]);
  });

  it("says where names were spelled out", () => {
    expect(spelledNames("in C# on .NET")).toEqual([
      { start: 3, end: 5, token: "csharp" },
      { start: 9, end: 13, token: "dotnet" },
    ]);
  });

  it("says each piece of a title once", () => {
    const title = shapeTitle({
      relativePath: "docs/keyRotation.md",
      title: "Keys",
      headings: ["Keys", "Rotation"],
      format: "markdown",
    });
    expect(title.split("\n")).toEqual(["Keys", "Rotation", "docs/keyRotation.md", "key", "Rotation"]);
  });

  it("takes any text, gives the same for the same, and stays in proportion to it", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 300 }),
        fc.constantFrom("code", "markdown"),
        (text, format) => {
          const shaped = shapeBody(text, format);
          expect(shapeBody(text, format)).toBe(shaped);
          expect(shaped.length).toBeLessThanOrEqual(40 * text.length + 16);
        },
      ),
    );
  });
});
