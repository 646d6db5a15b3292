import { describe, expect, it } from "vitest";
import { chunkParts } from "../../workers/chunk/chunk.ts";
import { estimateTokens } from "../../workers/chunk/tokens.ts";
import { failureOf, parseAs, textOfParts } from "../support/parse.ts";
import { rowOf, sheetData, xlsxOf } from "../support/spreadsheet.ts";

const people = [
  ["Name", "City"],
  ["Ann", "Bern"],
  ["Bob", "Köln"],
];

describe("an Excel workbook", () => {
  it("gives each sheet as a Markdown table under its name, with the cells it stands in", async () => {
    const document = await parseAs(
      "a.xlsx",
      xlsxOf({
        title: "Staff list",
        sheets: [
          { name: "People", xml: sheetData(people) },
          { name: "Old", xml: sheetData([["x | y", 1]]), state: "veryHidden" },
        ],
      }),
    );
    expect(document.title).toBe("Staff list");
    expect(document.metadata).toMatchObject({
      author: "Ann",
      sheets: ["People", "Old"],
      hiddenSheets: ["Old"],
    });
    expect(document.parts.map(({ text, locator }) => ({ text, locator }))).toEqual([
      {
        text: "## People\n\n| Name | City |\n| --- | --- |\n| Ann | Bern |\n| Bob | Köln |",
        locator: { sheet: "People", range: "A1:B3" },
      },
      {
        text: String.raw`## Old (hidden sheet)` + "\n\n" + String.raw`| x \| y | 1 |`,
        locator: { sheet: "Old", range: "A1:B1" },
      },
    ]);
  });

  it("bytes decide that it is one, whatever its name", async () => {
    const bytes = xlsxOf({ sheets: [{ name: "S", xml: sheetData(people) }] });
    expect(await parseAs("a.docx", bytes)).toMatchObject({ format: "xlsx" });
    expect(await parseAs("a", bytes)).toMatchObject({ format: "xlsx" });
  });

  it("K7.5 each group of rows stands under the names of the columns and fits into a chunk", async () => {
    const rows = Array.from({ length: 400 }, (_, index) => [
      `Item number ${index}`,
      index,
      "a few words about it",
    ]);
    const bytes = xlsxOf({
      sheets: [{ name: "Stock", xml: sheetData([["Item", "Count", "About"], ...rows]) }],
    });
    const { parts } = await parseAs("a.xlsx", bytes);
    expect(parts.length).toBeGreaterThan(10);
    for (const [index, part] of parts.entries()) {
      expect(part.text).toContain("| Item | Count | About |\n| --- | --- | --- |\n| Item number");
      expect(estimateTokens(part.text)).toBeLessThan(450);
      expect(part.headings ?? []).toEqual(index === 0 ? [] : ["Stock"]);
    }
    expect(parts.at(-1)?.locator?.range).toMatch(/^A\d+:C401$/);
    const settings = { chunkSize: 1024, chunkOverlap: 200, separator: null, hard: false } as const;
    const { chunks } = chunkParts(parts, { ...settings, strategy: "structured" });
    expect(chunks).toHaveLength(parts.length);
    for (const chunk of chunks) expect(chunk.headings).toEqual(["Stock"]);
  });

  it("tables apart from one another are tables of their own, and a lonely cell is a line", async () => {
    const xml = `<sheetData>${[
      rowOf(1, ["Report of 2024"]),
      rowOf(3, ["Name", "City"]),
      rowOf(4, ["Ann", "Bern"]),
      rowOf(7, ["Year", "Sum", "Note"]),
      rowOf(8, [2023, 5, "ok"]),
    ].join("")}</sheetData>`;
    const [part] = (await parseAs("a.xlsx", xlsxOf({ sheets: [{ name: "S", xml }] }))).parts;
    expect(part?.text).toBe(
      "## S\n\nReport of 2024\n\n| Name | City |\n| --- | --- |\n| Ann | Bern |\n\n| Year | Sum | Note |\n| --- | --- | --- |\n| 2023 | 5 | ok |",
    );
    expect(part?.locator).toEqual({ sheet: "S", range: "A1:C8" });
  });

  it("dates, numbers and truth values read as a person sees them", async () => {
    const styles =
      '<numFmts><numFmt numFmtId="170" formatCode="#,##0.00 [$€-407]"/></numFmts><cellStyleXfs><xf numFmtId="3"/></cellStyleXfs>' +
      "<cellXfs>" +
      [0, 14, 22, 9, 170, 46].map((id) => `<xf numFmtId="${id}"/>`).join("") +
      "</cellXfs>";
    const cell = (value: string, style: number, type = "n"): string =>
      `<c s="${style}" t="${type}"><v>${value}</v></c>`;
    const values = [
      cell("45000", 1),
      cell("45000.52", 2),
      cell("0.256", 3),
      cell("1234.5", 4),
      cell("2.5", 5),
      cell("4006381333931", 0),
      cell("0.30000000000000004", 0),
      cell("1", 0, "b"),
      cell("#DIV/0!", 0, "e"),
      cell("2024-05-06T00:00:00", 0, "d"),
    ];
    const xml = `<sheetData><row r="1">${values.join("")}</row></sheetData>`;
    const read = async (date1904: boolean): Promise<string | undefined> =>
      (await parseAs("a.xlsx", xlsxOf({ styles, date1904, sheets: [{ name: "S", xml }] }))).parts[0]?.text;
    expect(await read(false)).toContain(
      "| 2023-03-15 | 2023-03-15 12:28 | 26% | 1,234.50 € | 60:00:00 | 4006381333931 | 0.3 | TRUE | #DIV/0! | 2024-05-06 |",
    );
    expect(await read(true)).toContain("| 2027-03-16 |");
  });

  it("shared texts come with their runs and without how they are pronounced", async () => {
    const strings = [
      '<r><t xml:space="preserve">two </t></r><r><rPr><b/></rPr><t>runs</t></r><rPh sb="0" eb="1"><t>reading</t></rPh>',
      "<t>line_x000D_\nbreak</t>",
    ];
    const xml =
      '<sheetData><row r="1"><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>99</v></c></row></sheetData>';
    expect(textOfParts(await parseAs("a.xlsx", xlsxOf({ strings, sheets: [{ name: "S", xml }] })))).toBe(
      "## S\n\n| two runs | line break |",
    );
  });

  it("notes, newer notes with answers and links stay with their cells", async () => {
    const note = (ref: string, author: number, text: string): string =>
      `<comment ref="${ref}" authorId="${author}"><text><r><t>${text}</t></r></text></comment>`;
    const document = await parseAs(
      "a.xlsx",
      xlsxOf({
        more: {
          "xl/comments1.xml": `<comments><authors><author>Ann</author><author>tc={1}</author></authors><commentList>${note("A1", 0, "Ann: ask Bob")}${note("B1", 1, "[Threaded comment] use a newer program")}${note("D9", 0, "alone")}</commentList></comments>`,
          "xl/threadedComments/t1.xml":
            '<ThreadedComments><threadedComment ref="B1" personId="{p}"><text>Is it so?</text></threadedComment><threadedComment ref="B1" personId="{q}"><text>It is.</text></threadedComment></ThreadedComments>',
          "xl/persons/person.xml":
            '<personList><person displayName="Bob" id="{p}"/><person displayName="Cid" id="{q}"/></personList>',
        },
        sheets: [
          {
            name: "S",
            xml: `${sheetData([["total", "share", "home", "mail@example.org", "inside"]])}<hyperlinks><hyperlink ref="C1" r:id="rId3"/><hyperlink ref="D1:XFD1048576" r:id="rId4"/><hyperlink ref="E1" location="S!A1"/></hyperlinks>`,
            relations: [
              ["comments", "../comments1.xml"],
              ["threadedComment", "../threadedComments/t1.xml"],
              ["hyperlink", "https://example.org/a?b=1", true],
              ["hyperlink", "mailto:mail@example.org", true],
            ],
          },
        ],
      }),
    );
    expect(textOfParts(document)).toBe(
      "## S\n\n| total [Note: Ann: ask Bob] | share [Note by Bob: Is it so?] [Note by Cid: It is.] | [home](https://example.org/a?b=1) | mail@example.org | inside |\n\n[Note by Ann: alone]",
    );
    expect(document.warnings).toEqual([]);
  });

  it("text boxes, alternative texts, titles of charts and what is printed around the pages are there once", async () => {
    const run = (text: string): string => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`;
    const drawing = `<xdr:wsDr xmlns:xdr="x" xmlns:a="a" xmlns:mc="m"><mc:AlternateContent><mc:Choice><xdr:sp><xdr:nvSpPr><xdr:cNvPr id="1" name="Box 1"/></xdr:nvSpPr><xdr:txBody>${run("in a box")}</xdr:txBody></xdr:sp></mc:Choice><mc:Fallback><xdr:sp><xdr:txBody>${run("in a box")}</xdr:txBody></xdr:sp></mc:Fallback></mc:AlternateContent><xdr:pic><xdr:nvPicPr><xdr:cNvPr id="2" name="Picture 2" descr="A red barn"/></xdr:nvPicPr></xdr:pic></xdr:wsDr>`;
    const chart = `<c:chartSpace xmlns:c="c" xmlns:a="a"><c:chart><c:title><c:tx><c:rich>${run("Sales by year")}</c:rich></c:tx></c:title><c:plotArea><c:v>17</c:v></c:plotArea></c:chart></c:chartSpace>`;
    const document = await parseAs(
      "a.xlsx",
      xlsxOf({
        more: {
          "xl/drawings/drawing1.xml": drawing,
          "xl/drawings/_rels/drawing1.xml.rels":
            '<Relationships><Relationship Id="rId1" Type="x/chart" Target="../charts/chart1.xml"/></Relationships>',
          "xl/charts/chart1.xml": chart,
        },
        sheets: [
          {
            name: "S",
            xml: `${sheetData([["cell"]])}<headerFooter><oddHeader>&amp;L&amp;"Arial,Bold"&amp;12Secret plan&amp;R&amp;D</oddHeader><oddFooter>Page &amp;P of &amp;N</oddFooter></headerFooter>`,
            relations: [["drawing", "../drawings/drawing1.xml"]],
          },
        ],
      }),
    );
    expect(document.parts.map((part) => part.text)).toEqual([
      "## S\n\ncell",
      "Secret plan\nPage of\nin a box\n[Image: A red barn]\n[Chart: Sales by year]",
    ]);
    expect(document.parts[1]).toMatchObject({ locator: { sheet: "S" }, headings: ["S"] });
  });

  it("formulas without a stored result are told", async () => {
    const xml = '<sheetData><row r="1"><c><f>A2+1</f></c><c><f>2+3</f><v>5</v></c></row></sheetData>';
    const document = await parseAs("a.xlsx", xlsxOf({ sheets: [{ name: "S", xml }] }));
    expect(textOfParts(document)).toBe("## S\n\n5");
    expect(document.warnings).toEqual([
      expect.stringContaining("one cell has a formula without a stored result"),
    ]);
  });

  it("K4.5 empty sheets are no text, unless the workbook has a title", async () => {
    const sheets = [{ name: "S", xml: "<sheetData/>" }];
    expect(await failureOf(parseAs("a.xlsx", xlsxOf({ sheets })))).toMatchObject({ failure: "no_text" });
    expect(textOfParts(await parseAs("a.xlsx", xlsxOf({ sheets, title: "Budget" })))).toBe("Budget");
  });
});
