import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import type { ReadInput } from "../../workers/parse/reader.ts";
import { type BookBounds, MAX_CELLS } from "../../workers/parse/spreadsheet/book-writer.ts";
import { readXlsx } from "../../workers/parse/xlsx/read-xlsx.ts";
import { xlsxReader } from "../../workers/parse/xlsx.ts";
import { failureOf, parseAs, textOfParts } from "../support/parse.ts";
import { sheetData, xlsxOf, xlsxParts, zipOf } from "../support/spreadsheet.ts";

/** Reads no more than that. */
const bounded = (bounds: BookBounds) => ({
  readers: [{ ...xlsxReader, read: (input: ReadInput) => readXlsx(input, bounds) }],
});

describe("an Excel workbook that is damaged or hostile", () => {
  it("gives the sheets that are sound, and says which are not", async () => {
    const parts = xlsxParts({
      sheets: [
        { name: "Cut", xml: sheetData([["kept", 1]]) },
        { name: "Gone", xml: "" },
        { name: "Whole", xml: sheetData([["sound", 2]]) },
      ],
    });
    delete parts["xl/worksheets/sheet2.xml"];
    parts["xl/worksheets/sheet1.xml"] =
      parts["xl/worksheets/sheet1.xml"]?.replace("</sheetData></worksheet>", "<row><c><v") ?? "";
    const document = await parseAs("a.xlsx", zipOf(parts));
    expect(textOfParts(document)).toContain("| kept | 1 |");
    expect(textOfParts(document)).toContain("| sound | 2 |");
    expect(document.warnings).toEqual([
      expect.stringMatching(/^Sheet "Cut" could not be read to its end: /),
      'Sheet "Gone" could not be read: It is missing in the file.',
    ]);
  });

  it("without its list of sheets they are found by their names", async () => {
    const parts = xlsxParts({ sheets: [{ name: "S", xml: sheetData([["found", 1]]) }] });
    delete parts["xl/workbook.xml"];
    expect(textOfParts(await parseAs("a.xlsx", zipOf(parts)))).toContain("| found | 1 |");
  });

  it("a dimension that lies, and cells far apart, cost nothing", async () => {
    const text = (ref: string, value: string): string =>
      `<row r="${/\d+/.exec(ref)?.[0]}"><c r="${ref}" t="str"><v>${value}</v></c></row>`;
    const xml = `<dimension ref="A1:XFD1048576"/><cols><col min="1" max="2000000000" width="9"/></cols><sheetData>${text("A1", "first")}${text("C500000", "middle")}${text("XFD1048576", "last")}</sheetData><mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>`;
    const { parts } = await parseAs("a.xlsx", xlsxOf({ sheets: [{ name: "S", xml }] }));
    expect(parts.map((part) => part.locator?.range)).toEqual([
      "A1:A1",
      "C500000:C500000",
      "XFD1048576:XFD1048576",
    ]);
    expect(parts.map((part) => part.text.split("\n").at(-1))).toEqual(["first", "middle", "last"]);
  });

  it("cells on a diagonal do not fill the text with empty ones", async () => {
    const rows = Array.from(
      { length: 3000 },
      (_, at) =>
        `<row><c r="${column(at)}${at + 1}"><v>${at}</v></c><c r="${column(at + 1)}${at + 1}"><v>7</v></c></row>`,
    );
    const xml = `<sheetData>${rows.join("")}</sheetData>`;
    const document = await parseAs("a.xlsx", xlsxOf({ sheets: [{ name: "S", xml }] }));
    expect(textOfParts(document).length).toBeLessThan(3000 * 120);
  });

  it("a text that every cell repeats is read as often as there is room, and the rest is counted", async () => {
    const cells = '<c t="s"><v>0</v></c>'.repeat(20);
    const xml = `<sheetData>${`<row>${cells}</row>`.repeat(100)}</sheetData>`;
    const strings = [`<t>${"word ".repeat(600)}</t>`];
    const bytes = xlsxOf({ strings, sheets: [{ name: "Bomb", xml }] });
    const document = await parseAs("a.xlsx", bytes, bounded({ chars: 256 * 1024 }));
    expect(textOfParts(document).length).toBeLessThan(257 * 1024);
    expect(document.warnings).toEqual([
      'Sheet "Bomb" is too large: its first 4 rows with content were read, 96 after them were left out.',
    ]);
  });

  it("P10 of more cells than may be read, a million, the first are read, and the rest is counted", async () => {
    expect(MAX_CELLS).toBe(1_000_000);
    const row = `<row>${"<c><v>1</v></c>".repeat(100)}</row>`;
    const xml = `<sheetData>${row.repeat(110)}</sheetData>`;
    const parts = xlsxParts({
      sheets: [
        { name: "Big", xml },
        { name: "Next", xml: sheetData([["x", "y"]]) },
      ],
    });
    // Stored: so even a sheet packs to less than a two-hundredth, which is refused as a bomb.
    const bytes = zipSync(
      Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])),
      { level: 0 },
    );
    const document = await parseAs("a.xlsx", bytes, bounded({ cells: 10_000 }));
    expect(
      textOfParts(document)
        .split("\n")
        .filter((line) => line.startsWith("| 1 |")),
    ).toHaveLength(100);
    expect(document.warnings).toEqual([
      'Sheet "Big" is too large: its first 100 rows with content were read, 10 after them were left out.',
      'Sheet "Next" was left out with 1 of its rows: the workbook is too large.',
    ]);
  });

  it("entities are not expanded and nothing is fetched", async () => {
    const parts = xlsxParts({ sheets: [{ name: "S", xml: sheetData([["before", 1]]) }] });
    const sheet = parts["xl/worksheets/sheet1.xml"] ?? "";
    parts["xl/worksheets/sheet1.xml"] =
      `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd"><!ENTITY l "lol">]>${sheet.replace("</sheetData>", '<row><c t="str"><v>&e;&l;</v></c></row></sheetData>')}`;
    const text = textOfParts(await parseAs("a.xlsx", zipOf(parts)));
    expect(text).toContain("| before | 1 |");
    expect(text).not.toMatch(/root:|lol/);
  });

  it("rows, cells and references that are none do not stop it", async () => {
    const xml =
      '<sheetData><row r="-5"><c r="$$$" t="s"><v>x</v></c><c r="B1" s="999" t="zzz"><v>odd type</v></c></row><row r="1e9"><c r="ZZZ1"><v>9</v></c><c r="A2" t="str"><v>a\uFFFDb</v></c></row></sheetData>';
    expect(textOfParts(await parseAs("a.xlsx", xlsxOf({ sheets: [{ name: "S", xml }] })))).toContain(
      "odd type",
    );
  });

  it("an archive without any sheet is corrupt", async () => {
    const parts = xlsxParts({ sheets: [] });
    expect(await failureOf(parseAs("a.xlsx", zipOf(parts)))).toMatchObject({ failure: "corrupt" });
  });
});

function column(at: number): string {
  let name = "";
  for (let left = at + 1; left > 0; left = Math.floor((left - 1) / 26))
    name = String.fromCharCode(65 + ((left - 1) % 26)) + name;
  return name;
}
