import { describe, expect, it } from "vitest";
import type { Block } from "../../workers/parse/pdf/page-blocks.ts";
import { tidy } from "../../workers/parse/pdf/line-text.ts";
import { pageList } from "../../workers/parse/pdf/page-list.ts";
import { compoundsOf, joinWords } from "../../workers/parse/pdf/page-text.ts";
import { dropRunningLines } from "../../workers/parse/pdf/running-lines.ts";
import { checkTextLayer } from "../../workers/parse/pdf/text-layer.ts";
import { parseAs, textOfParts } from "../support/parse.ts";
import { at, lines, tinyPdf } from "../support/tiny-pdf.ts";

const line = (text: string, height = 0.5): Block => ({
  kind: "line",
  text,
  size: 10,
  height,
  y: height * 800,
  full: true,
  opens: false,
});
const textsOf = (pages: readonly (readonly Block[])[]): string[][] =>
  pages.map((blocks) => blocks.map((block) => (block.kind === "line" ? block.text : "table")));

describe("the text of a page", () => {
  it.each([
    ["a word divided at a line's end", "exam-\nple", "example"],
    ["a hyphen that belongs there", "Rhine-\nMain", "Rhine-\nMain"],
    ["a compound with more hyphens", "state-of-the-\nart", "state-of-the-art"],
    ["a name with a figure", "BM25-\nbased", "BM25-based"],
    ["a letter by itself", "a d-\ndimensional space", "a d-dimensional space"],
    ["a gap before a ligature's letters", "a dif ficult case", "a difficult case"],
    ["gaps around a ligature", "a speci fi c case", "a specific case"],
    ["ordinary words", "of five\nif fish fly", "of five\nif fish fly"],
    ["soft hyphens", "co\u00ADoperate", "cooperate"],
    ["empty lines", "a\n\n\n\nb", "a\n\nb"],
  ])("%s: read as a person reads it", (_, text, read) => {
    expect(joinWords(text)).toBe(read);
  });

  it("a compound that stands elsewhere with its hyphen keeps it at a line's end", () => {
    const compounds = compoundsOf([[line("an open-domain question, low-dimensional")]]);
    expect(joinWords("open-\ndomain, high-\ndimensional, exam-\nple", compounds)).toBe(
      "open-domain, high-dimensional, example",
    );
  });

  it.each([
    ["ligatures", "di\uFB03cult \uFB02ow", "difficult flow"],
    ["radicals and compatible ideographs", "\u2F00\u2F08 \uF914", "一人 樂"],
    ["letters of formulas", "\u{1D431}\u{1D7CF}", "x1"],
    ["exponents and fractions stay", "10\u00B2 \u00BD \u2460", "10² ½ ①"],
    ["accents that stand alone", "O˘guz, G¨odel, caf´e", "Oğuz, Gödel, café"],
    ["leaders", "Contents . . . . . . . . . 12", "Contents … 12"],
    ["marks of lists out of symbol fonts", "\uF0B7 point", "• point"],
    ["line ends, NULs and half characters", "a\r\nb\rc d\0e\uD800", "a b c d\uFFFDe\uFFFD"],
  ])("%s: one line, in signs that everyone writes", (_, text, read) => {
    expect(tidy(text)).toBe(read);
  });

  it.each([
    ["letters", "a".repeat(300_000)],
    ["hyphens", "a-".repeat(150_000)],
    ["dots", ". ".repeat(150_000)],
    ["accents", "´".repeat(300_000)],
    ["line ends", "a-\n".repeat(100_000)],
  ])("300,000 %s take no longer than they should", (_, text) => {
    expect(joinWords(tidy(text), compoundsOf([[line(text)]])).length).toBeLessThanOrEqual(300_000);
  });
});

describe("lines that run through a document", () => {
  const page = (number: number, head = "The Report"): Block[] => [
    line(head, 0.97),
    line(`content ${"abcdefghijkl"[number]}`, 0.9),
    line(`more of ${"abcdefghijkl"[number]}`, 0.5),
    line(`Page ${number + 1}`, 0.03),
  ];

  it("headers, footers and page numbers are dropped; a header's words stay where they come first", () => {
    const texts = textsOf(dropRunningLines(Array.from({ length: 6 }, (_, index) => page(index))));
    expect(texts[0]).toEqual(["The Report", "content a", "more of a"]);
    expect(texts[2]).toEqual(["content c", "more of c"]);
  });

  it("they may differ on left and right pages, and change with the chapter", () => {
    const heads = ["Left", "One", "Left", "One", "Left", "One", "Left", "Two", "Left", "Two", "Left", "Two"];
    const texts = textsOf(dropRunningLines(heads.map((head, index) => page(index, head))));
    expect(texts.flat().filter((text) => ["Left", "One", "Two"].includes(text))).toEqual([
      "Left",
      "One",
      "Two",
    ]);
  });

  it("Roman page numbers too", () => {
    const pages = ["i", "ii", "iii", "iv", "v"].map((number, index) => [
      line(`text ${"abcde"[index]}`),
      line(number, 0.04),
    ]);
    expect(textsOf(dropRunningLines(pages))[3]).toEqual(["text d"]);
  });

  it("lines that differ only in figures which do not go with the pages are content", () => {
    const pages = [17, 4, 99, 23, 8].map((number) => [
      line(`Invoice ${number}`, 0.95),
      line("Thank you for your order of today"),
    ]);
    expect(textsOf(dropRunningLines(pages)).map((texts) => texts[0])).toEqual(
      [17, 4, 99, 23, 8].map((number) => `Invoice ${number}`),
    );
  });

  it("K4.5 pages of two lines that differ only in figures keep their text", async () => {
    const pages = Array.from({ length: 20 }, (_, index) => [`Result ${index}`, `Value ${index * 2}`]);
    const document = await parseAs("a.pdf", tinyPdf({ pages }));
    expect(document.parts).toHaveLength(20);
    expect(document.parts[7]?.text).toBe("Result 7\nValue 14");
  });

  it("the same line at another height of each page is content", () => {
    const pages = [0.95, 0.9, 0.85, 0.95, 0.88].map((height, index) => [
      line("Abstract", height),
      line(`text ${index}`),
    ]);
    expect(textsOf(dropRunningLines(pages)).every((texts) => texts[0] === "Abstract")).toBe(true);
  });

  it("a real document loses its header and footer, and two pages have none but page numbers", async () => {
    const pages = (count: number): { draw: string }[] =>
      Array.from({ length: count }, (_, index) => ({
        draw:
          at(60, 770, "Annual report of the society") +
          lines(60, 700, [`What is on page ${"abcdef"[index]}`, "and more of it"]) +
          at(300, 30, String(index + 1)),
      }));
    const long = textOfParts(await parseAs("a.pdf", tinyPdf({ pages: pages(5) })));
    expect(long.match(/Annual report/g)).toHaveLength(1);
    expect(long).not.toMatch(/^\d$/m);
    const short = textOfParts(await parseAs("a.pdf", tinyPdf({ pages: pages(2) })));
    expect(short.match(/Annual report/g)).toHaveLength(2);
    expect(short).not.toMatch(/^\d$/m);
  });
});

describe("the text layer", () => {
  it.each([
    ["bad_text_layer", ["\uE001\uE002\uE003\uE004 ab \uFFFD\uFFFD\uFFFD"]],
    ["bad_text_layer", ["\u0001\u0002\u0003\u0004\u0005\u0006ab"]],
    ["no_text_layer", ["", "", "", "", "", "", "", "", "", "", "only this one"]],
    ["no_text_layer", [" . "]],
  ])("K4.5 %s is told from sound text", (failure, pages) => {
    expect(() => checkTextLayer(pages, [])).toThrow(expect.objectContaining({ failure }));
  });

  it.each([
    [["Sound text"]],
    [["", "", "text on a third of the pages"]],
    [["✁✂✃✄✆✇"]],
    [["公司", "请假流程"]],
  ])("sound text passes (%#)", (pages) => {
    expect(checkTextLayer(pages, [])).toEqual(pages);
  });

  it("pages of garbage among sound ones are left out and named", () => {
    const warnings: string[] = [];
    expect(checkTextLayer(["sound", "\uE001\uE002\uE003", "sound"], warnings)).toEqual([
      "sound",
      "",
      "sound",
    ]);
    expect(warnings).toEqual([
      "The text layer of page 2 is garbage and was left out: run OCR over it again.",
    ]);
  });

  it("pages are named in ranges, and no more than one can read", () => {
    expect(pageList([3, 7, 8, 9])).toBe("pages 3, 7–9");
    const every = Array.from({ length: 50 }, (_, index) => 2 * index + 1);
    expect(pageList(every)).toMatch(/^pages 1, 3, .*, 39 and 30 more$/);
  });
});
