import { describe, expect, it } from "vitest";
import { joinLines, pageLines } from "../../workers/parse/pdf/page-text.ts";
import { dropRunningLines } from "../../workers/parse/pdf/running-lines.ts";
import { checkTextLayer } from "../../workers/parse/pdf/text-layer.ts";
import { failureOf, parseAs } from "../support/parse.ts";
import { tinyPdf } from "../support/tiny-pdf.ts";

describe("PDF", () => {
  it("K7.5 each page with text is a part, with its number as locator", async () => {
    const bytes = tinyPdf({
      pages: [["First page", "goes on"], [], ["Third (last) page"]],
      title: "The Report",
    });
    expect(await parseAs("a.pdf", bytes)).toMatchObject({
      format: "pdf",
      parser: "pdf@1",
      title: "The Report",
      parts: [
        { text: "First page\ngoes on", markup: "plain", locator: { page: 1 }, lines: null },
        { text: "Third (last) page", markup: "plain", locator: { page: 3 }, lines: null },
      ],
      metadata: { pages: 3 },
      warnings: ["1 of 3 page(s) have no text."],
    });
  });

  it.each(["Untitled", "Microsoft Word - draft.doc", "paper.dvi"])(
    "a title that a program wrote is none: %s",
    async (title) => {
      expect(await parseAs("a.pdf", tinyPdf({ pages: [["text"]], title }))).toMatchObject({ title: null });
    },
  );

  it("a PDF is told by its bytes, whatever its name and whatever stands in front", async () => {
    const bytes = tinyPdf({ pages: [["Found anyway"]] });
    expect(await parseAs("a.txt", bytes)).toMatchObject({ format: "pdf" });
    expect(await parseAs("a.pdf", Buffer.concat([Buffer.from("junk in front\n"), bytes]))).toMatchObject({
      format: "pdf",
    });
  });

  it("a broken cross-reference table is rebuilt", async () => {
    const bytes = Buffer.from(
      tinyPdf({ pages: [["Still readable"]] })
        .toString("latin1")
        .replace(/startxref\n\d+/, "startxref\n7"),
      "latin1",
    );
    expect((await parseAs("a.pdf", bytes)).parts[0]?.text).toBe("Still readable");
  });

  it.each([
    ["needs_password", tinyPdf({ pages: [["secret"]], locked: true }), "password"],
    ["no_text_layer", tinyPdf({ pages: Array.from({ length: 12 }, () => []) }), "12 page(s) of images"],
    ["corrupt", Buffer.from("%PDF-1.4\nnothing of a document"), "could not be opened"],
    ["corrupt", tinyPdf({ pages: [["cut off"]] }).subarray(0, 120), "could not be opened"],
  ])("K4.5 %s is a state of its own, with its reason", async (failure, bytes, says) => {
    const problem = await failureOf(parseAs("a.pdf", bytes));
    expect(problem.failure).toBe(failure);
    expect(problem.message).toContain(says);
  });

  it("an abort ends the reading between pages", async () => {
    const bytes = tinyPdf({ pages: [["one"], ["two"]] });
    await expect(parseAs("a.pdf", bytes, { signal: AbortSignal.abort() })).rejects.toThrow("abort");
  });
});

describe("the text of a page", () => {
  const run = (str: string, y: number, hasEOL = true): Parameters<typeof pageLines>[0][number] => ({
    str,
    hasEOL,
    height: 10,
    transform: [10, 0, 0, 10, 50, y],
  });

  it("runs make lines, and a wide gap parts paragraphs", () => {
    expect(pageLines([run("a ", 100, false), run("b", 100), run("c", 88), run("d", 50)])).toEqual([
      "a b",
      "c",
      "",
      "d",
    ]);
  });

  it.each([
    ["a word divided at a line's end", ["exam-", "ple"], "example"],
    ["a hyphen that belongs there", ["Rhine-", "Main"], "Rhine-\nMain"],
    ["ligatures", ["di\uFB03cult \uFB02ow"], "difficult flow"],
    ["a gap before a ligature's letters", ["a dif ficult case"], "a difficult case"],
    ["gaps around a ligature", ["a speci fi c case"], "a specific case"],
    ["ordinary words", ["of five", "if fish fly"], "of five\nif fish fly"],
    ["soft hyphens", ["co\u00ADoperate"], "cooperate"],
    ["empty lines", ["a", "", "", "", "b"], "a\n\nb"],
  ])("%s: read as a person reads it", (_, lines, text) => {
    expect(joinLines(lines)).toBe(text);
  });

  it("line ends, NULs and half characters that a run's text claims to have make no lines of their own", () => {
    expect(pageLines([run("a\r\nb\rc", 100), run("d\0e\uD800", 88)])).toEqual(["a b c", "d\uFFFDe\uFFFD"]);
  });

  it("headers and footers that run through the document are dropped", () => {
    const pages = Array.from({ length: 6 }, (_, index) => [
      "The Report",
      `content ${"abcdef"[index]}`,
      `more of ${"abcdef"[index]}`,
      `Page ${index + 1}`,
    ]);
    expect(dropRunningLines(pages)[2]).toEqual(["content c", "more of c"]);
  });

  it("a few pages have no running lines", () => {
    const pages = [
      ["Same", "a"],
      ["Same", "b"],
    ];
    expect(dropRunningLines(pages)).toEqual(pages);
  });

  it.each([
    ["bad_text_layer", ["\uE001\uE002\uE003\uE004 ab \uFFFD\uFFFD\uFFFD"]],
    ["bad_text_layer", ["\u0001\u0002\u0003\u0004\u0005\u0006ab"]],
    ["no_text_layer", ["", "", "", "", "", "", "", "", "", "", "only this one"]],
    ["no_text_layer", [" . "]],
  ])("K4.5 %s is told from sound text", (failure, pages) => {
    expect(() => checkTextLayer(pages)).toThrow(expect.objectContaining({ failure }));
  });

  it.each([
    [["Sound text"]],
    [["", "", "text on a third of the pages"]],
    [["✁✂✃✄✆✇"]],
    [["公司", "请假流程"]],
  ])("sound text passes (%#)", (pages) => {
    expect(() => checkTextLayer(pages)).not.toThrow();
  });
});
