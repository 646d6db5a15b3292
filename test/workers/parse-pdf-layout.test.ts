import { describe, expect, it } from "vitest";
import { parseAs } from "../support/parse.ts";
import { at, type DrawnPage, lines, tinyPdf } from "../support/tiny-pdf.ts";

/** Lines of a column: "L1 a line of words that fills it". */
function column(mark: string, count: number, words = "a line of words that fills its column"): string[] {
  return Array.from({ length: count }, (_, index) => `${mark}${index + 1} ${words}`);
}

async function textsOf(pages: readonly (DrawnPage | string)[]): Promise<string[]> {
  const drawn = pages.map((page) => (typeof page === "string" ? { draw: page } : page));
  return (await parseAs("a.pdf", tinyPdf({ pages: drawn }))).parts.map((part) => part.text);
}

/** The marks that its lines begin with, in their order. */
function marksOf(text: string | undefined): string {
  return Array.from((text ?? "").matchAll(/^([A-Z]\d+) /gm), (found) => found[1]).join(" ");
}

const numbered = (mark: string, count: number): string =>
  Array.from({ length: count }, (_, index) => `${mark}${index + 1}`).join(" ");

describe("the reading order of a page", () => {
  it("two columns are read one after the other, whatever order they are drawn in", async () => {
    const [left, right] = [lines(60, 700, column("L", 12)), lines(320, 694, column("R", 12))];
    for (const text of await textsOf([left + right, right + left])) {
      expect(marksOf(text)).toBe(`${numbered("L", 12)} ${numbered("R", 12)}`);
    }
  });

  it("two columns that are drawn line by line across the page are two columns all the same", async () => {
    const [left, right] = [column("L", 12), column("R", 12)];
    const draw = left.map(
      (line, index) => at(60, 700 - 12 * index, line) + at(320, 700 - 12 * index, right[index] ?? ""),
    );
    const [text] = await textsOf([draw.join("")]);
    expect(marksOf(text)).toBe(`${numbered("L", 12)} ${numbered("R", 12)}`);
  });

  it("three columns", async () => {
    const words = "words in three columns";
    const draw = [50, 220, 390].map((x, index) => lines(x, 700, column("ABC"[index] ?? "", 15, words)));
    const [text] = await textsOf([draw.join("")]);
    expect(marksOf(text)).toBe(`${numbered("A", 15)} ${numbered("B", 15)} ${numbered("C", 15)}`);
  });

  it("a heading above all columns, however short, and a table across them are not torn", async () => {
    const table = [
      ["Region", "Units", "Price", "Total"],
      ["North", "12", "3.50", "42.00"],
      ["South", "7", "2.10", "14.70"],
    ];
    const cells = table.flatMap((row, y) => row.map((cell, x) => at(60 + x * 140, 500 - 14 * y, cell)));
    const draw = [
      lines(60, 700, column("A", 8)),
      lines(320, 700, column("B", 8)),
      at(60, 570, "Results", { size: 14 }),
      lines(60, 550, column("C", 3)),
      lines(320, 550, column("D", 3)),
      ...cells,
      lines(60, 440, column("E", 3)),
      lines(320, 440, column("F", 3)),
    ];
    const [text = ""] = await textsOf([draw.join("")]);
    expect(marksOf(text)).toBe(
      ["A", "B"].map((mark) => numbered(mark, 8)).join(" ") +
        ["C", "D", "E", "F"].map((mark) => ` ${numbered(mark, 3)}`).join(""),
    );
    expect(text).toContain(`B8 a line of words that fills its column\n\n# Results\n\nC1`);
    expect(text).toContain(
      "\n\n| Region | Units | Price | Total |\n| --- | --- | --- | --- |\n| North | 12 | 3.50 | 42.00 |\n| South | 7 | 2.10 | 14.70 |\n\nE1",
    );
  });

  it("a paragraph goes on in the next column, also inside a word", async () => {
    const left = [...column("L", 4), "L5 the last line here ends in an exam-"];
    const draw =
      lines(60, 700, left) + lines(320, 700, ["ple that goes on over here in the next", ...column("R", 4)]);
    expect((await textsOf([draw]))[0]).toContain("ends in an example that goes on");
  });

  it("text that is turned is read along its own lines, a stamp on the margin after the rest", async () => {
    const turned = column("V", 5).map((line, index) => at(100 + 12 * index, 100, line, { degrees: 90 }));
    const upsideDown = column("U", 3).map((line, index) => at(400, 100 + 12 * index, line, { degrees: 180 }));
    const stamp = at(20, 200, "Stamped on the margin", { degrees: 90, size: 20 });
    const texts = await textsOf([
      turned.join(""),
      upsideDown.join(""),
      stamp + lines(60, 700, column("P", 4)),
    ]);
    expect(marksOf(texts[0])).toBe(numbered("V", 5));
    expect(marksOf(texts[1])).toBe(numbered("U", 3));
    expect(texts[2]).toMatch(/^P1 [^#]*\n\nStamped on the margin$/);
  });

  it("a page that is shown turned is read as it is written", async () => {
    const [text] = await textsOf([{ draw: lines(60, 700, column("P", 4)), more: "/Rotate 90" }]);
    expect(marksOf(text)).toBe(numbered("P", 4));
  });

  it("text that is drawn twice to look bold is there once", async () => {
    const draw =
      at(60, 700, "Bold words") + at(60.3, 700, "Bold words") + at(60, 680, "hah") + at(60, 660, "hah");
    expect((await textsOf([draw]))[0]?.replaceAll("\n\n", "\n")).toBe("Bold words\nhah\nhah");
  });

  it("an exponent and a note's mark stay what they are", async () => {
    const draw =
      at(60, 700, "10") +
      at(71.2, 704, "6", { size: 6 }) +
      at(60, 680, "as shown") +
      at(100, 684, "2", { size: 6 });
    expect((await textsOf([draw]))[0]).toMatch(/^10⁶\s+as shown ²$/);
  });
});

describe("scripts of the world", () => {
  it("right-to-left lines begin at the right, numbers and names in them are not turned", async () => {
    const draw =
      at(50, 700, "2026", { font: "T" }) +
      at(100, 700, "םלוע", { font: "T" }) +
      at(150, 700, "םולש", { font: "T" });
    expect(await textsOf([draw])).toEqual(["שלום עולם 2026"]);
  });

  it("fonts that are not in the file are read by the library's own maps", async () => {
    expect(await textsOf([at(50, 700, "公司的请假流程", { font: "C" })])).toEqual(["公司的请假流程"]);
  });

  it("a line's end is no gap between words", async () => {
    const draw =
      at(50, 700, "关于公司的请", { font: "C" }) +
      at(50, 686, "假流程和规定", { font: "C" }) +
      at(50, 672, "说明", { font: "C" });
    expect(await textsOf([draw])).toEqual(["关于公司的请假流程和规定说明"]);
  });

  it("vertical writing goes down its lines, from right to left, with signs as everyone writes them", async () => {
    const columns = ["吾輩は猫である。名前は", "まだ無い。どこで生れた", "かとんと見当がつかぬ。"];
    const draw = columns.map((text, index) => at(500 - 16 * index, 700, text, { font: "V" })).reverse();
    expect(await textsOf([draw.join("")])).toEqual([columns.join("")]);
  });
});

describe("headings and sections", () => {
  const body = (y: number): string =>
    lines(60, y, column("T", 8, "of text in the size that most of the text has"));

  it("lines in a plainly larger font are headings, by their sizes", async () => {
    const draw =
      at(60, 740, "A Title of", { size: 20 }) +
      at(60, 717, "Two Lines", { size: 20 }) +
      at(60, 690, "1 First section", { size: 14 }) +
      body(670) +
      at(60, 540, "Second section", { size: 14 }) +
      body(520);
    const document = await parseAs("a.pdf", tinyPdf({ pages: [{ draw }] }));
    expect(document.parts[0]?.markup).toBe("markdown");
    expect(document.parts[0]?.text.match(/^#.*$/gm)).toEqual([
      "# A Title of Two Lines",
      "## 1 First section",
      "## Second section",
    ]);
  });

  it("what looks like Markdown in a text is none", async () => {
    const draw =
      at(60, 740, "Title", { size: 20 }) +
      lines(60, 700, ["# include <stdio.h>", "```", "<b>", "text of some length to be the usual size"]);
    expect((await textsOf([draw]))[0]).toBe(
      "# Title\n\n\\# include <stdio.h>\n\\```\n\\<b>\ntext of some length to be the usual size",
    );
  });

  it("a page without its own heading stands under those of earlier pages", async () => {
    const pages = [
      { draw: at(60, 740, "Title", { size: 20 }) + at(60, 700, "Section", { size: 14 }) + body(680) },
      { draw: body(740) },
      { draw: body(740) + at(60, 600, "Next section", { size: 14 }) + body(580) },
    ];
    const { parts } = await parseAs("a.pdf", tinyPdf({ pages }));
    expect(parts.map((part) => part.headings)).toEqual([undefined, ["Title", "Section"], ["Title"]]);
  });

  it("a page number above a heading is not its own", async () => {
    const pages = [{ draw: at(300, 760, "32") + lines(60, 740, ["Concept Index", ...column("A", 6)]) }];
    const { parts } = await parseAs("a.pdf", tinyPdf({ pages, bookmarks: [["Concept Index", 0, 1]] }));
    expect(parts[0]?.text).toMatch(/^32\s+# Concept Index\n/);
  });

  it("bookmarks tell the chapter of each page, and which lines are headings", async () => {
    const pages = [
      { draw: lines(60, 740, ["1. Beginnings", ...column("A", 6)]) },
      { draw: lines(60, 740, column("B", 6)) },
      { draw: lines(60, 740, [...column("C", 6), "2. Ends", ...column("D", 6)]) },
      { draw: lines(60, 740, column("E", 6)) },
    ];
    const bookmarks = [
      ["Beginnings", 0, 1],
      ["Unwritten details", 1, 2],
      ["Ends", 2, 1],
    ] as const;
    const { parts } = await parseAs("a.pdf", tinyPdf({ pages, bookmarks }));
    expect(parts.map((part) => [part.locator?.chapter, part.headings])).toEqual([
      ["Beginnings", undefined],
      ["Beginnings", ["1. Beginnings", "Unwritten details"]],
      ["Beginnings", undefined],
      ["Ends", ["2. Ends"]],
    ]);
    expect(parts[0]?.text).toMatch(/^# 1\. Beginnings\n\nA1/);
    expect(parts[2]?.text).toContain("\n\n# 2. Ends\n\nD1");
  });
});

describe("tables", () => {
  it("cells that stand in columns are kept row by row, the rest of a cell with its row", async () => {
    const rows = [
      ["Item", "Notes", "Price"],
      ["Tea", "green, from", "3.50"],
      ["", "the south", ""],
      ["A|B", "black", "10.00"],
      ["Cups", "", "4.00"],
    ];
    const draw = rows.flatMap((row, y) =>
      row.map((cell, x) => (cell === "" ? "" : at(60 + 120 * x, 700 - 12 * y, cell))),
    );
    expect((await textsOf([draw.join("")]))[0]).toBe(
      "| Item | Notes | Price |\n| --- | --- | --- |\n| Tea | green, from the south | 3.50 |\n| A\\|B | black | 10.00 |\n| Cups |  | 4.00 |",
    );
  });

  it("a list with its marks set apart is no table", async () => {
    const draw = ["first point", "second point", "third point"].map(
      (text, index) => at(60, 700 - 12 * index, `${index + 1}.`) + at(90, 700 - 12 * index, text),
    );
    expect((await textsOf([draw.join("")]))[0]).toBe("1. first point\n2. second point\n3. third point");
  });
});
