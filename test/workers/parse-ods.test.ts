import { describe, expect, it } from "vitest";
import { readOds } from "../../workers/parse/ods/read-ods.ts";
import { odsReader } from "../../workers/parse/ods.ts";
import type { ReadInput } from "../../workers/parse/reader.ts";
import { failureOf, parseAs, textOfParts } from "../support/parse.ts";
import { odsContent, odsOf, zipOf } from "../support/spreadsheet.ts";

const cell = (text: string, attributes = ""): string =>
  `<table:table-cell ${attributes}><text:p>${text}</text:p></table:table-cell>`;
const row = (cells: string, attributes = ""): string =>
  `<table:table-row ${attributes}>${cells}</table:table-row>`;
const table = (name: string, rows: string, attributes = ""): string =>
  `<table:table table:name="${name}" ${attributes}>${rows}</table:table>`;

describe("an OpenDocument spreadsheet", () => {
  it("gives each sheet as a Markdown table, what is seen of values, and marks hidden sheets", async () => {
    const first = table(
      "Staff",
      row(cell("Name") + cell("Born")) +
        row(cell("Ann") + cell("12. Mai 1990", 'office:value-type="date" office:date-value="1990-05-12"')) +
        row(cell("Bob") + '<table:table-cell office:value-type="float" office:value="7"/>'),
    );
    const hidden = table("Old", row(cell("gone")), 'table:style-name="h"');
    const styles =
      '<style:style style:name="h" style:family="table"><style:table-properties table:display="false"/></style:style>';
    const meta = `<office:document-meta xmlns:office="o" xmlns:dc="c"><office:meta><dc:title>All staff</dc:title><dc:creator>Cid</dc:creator></office:meta></office:document-meta>`;
    const document = await parseAs("a.ods", odsOf(first + hidden, styles, { "meta.xml": meta }));
    expect(document).toMatchObject({ format: "ods", title: "All staff", warnings: [] });
    expect(document.metadata).toMatchObject({ sheets: ["Staff", "Old"], hiddenSheets: ["Old"] });
    expect(document.parts.map(({ text, locator }) => [text, locator])).toEqual([
      [
        "## Staff\n\n| Name | Born |\n| --- | --- |\n| Ann | 12. Mai 1990 |\n| Bob | 7 |",
        { sheet: "Staff", range: "A1:B3" },
      ],
      ["## Old (hidden sheet)\n\ngone", { sheet: "Old", range: "A1:A1" }],
    ]);
  });

  it("repeated and merged cells stand where a person sees them", async () => {
    const rows =
      row(
        '<table:table-cell table:number-columns-repeated="2"/>' +
          cell("x", 'table:number-columns-repeated="2"'),
      ) +
      row("<table:table-cell/>", 'table:number-rows-repeated="3"') +
      row(
        cell("wide", 'table:number-columns-spanned="2"') +
          "<table:covered-table-cell><text:p>under</text:p></table:covered-table-cell>" +
          cell("y"),
        'table:number-rows-repeated="2"',
      ) +
      row("<table:table-cell/>", 'table:number-rows-repeated="1048570"');
    const { parts } = await parseAs("a.ods", odsOf(table("S", rows)));
    expect(parts[0]?.text).toBe("## S\n\n| x | x |\n\n| wide | y |\n| --- | --- |\n| wide | y |");
    expect(parts[0]?.locator).toEqual({ sheet: "S", range: "A1:D6" });
  });

  it("notes, links, boxes, alternative texts and titles of charts are kept, what was deleted is not", async () => {
    const noted = `<table:table-cell><office:annotation><dc:creator>Ann</dc:creator><dc:date>2024</dc:date><text:p>ask</text:p><text:p>Bob</text:p></office:annotation><text:p>total<text:s text:c="3"/><text:span>sum</text:span></text:p></table:table-cell>`;
    const linked = `<table:table-cell><text:p><text:a xlink:href="https://example.org/x">home</text:a></text:p></table:table-cell>`;
    const shapes = `<table:shapes><draw:frame><draw:text-box><text:p>in a box</text:p></draw:text-box></draw:frame><draw:frame><draw:image/><svg:title>A red barn</svg:title></draw:frame><draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></table:shapes>`;
    const body = `<table:tracked-changes><table:deletion><table:cell-content-deletion><text:p>deleted</text:p></table:cell-content-deletion></table:deletion></table:tracked-changes>${table("S", shapes + row(noted + linked))}`;
    const chart = `<o:c xmlns:o="o" xmlns:chart="h" xmlns:text="x"><chart:chart><chart:title><text:p>Sales</text:p></chart:title></chart:chart></o:c>`;
    const document = await parseAs("a.ods", odsOf(body, "", { "Object 1/content.xml": chart }));
    expect(document.parts.map((part) => part.text)).toEqual([
      "## S\n\n| total sum [Note by Ann: ask Bob] | [home](https://example.org/x) |",
      "in a box\n[Image: A red barn]\n[Chart: Sales]",
    ]);
  });

  it("one XML file is one too", async () => {
    const flat = odsContent(table("S", row(cell("flat") + cell("1"))))
      .replace(
        "<office:document-content",
        '<office:document office:mimetype="application/vnd.oasis.opendocument.spreadsheet"',
      )
      .replace("</office:document-content>", "</office:document>");
    expect(await parseAs("a.fods", flat)).toMatchObject({
      format: "ods",
      parts: [{ text: "## S\n\n| flat | 1 |" }],
    });
  });

  it("P10 rows and cells that are repeated without end are read as far as there is room, and the rest is counted", async () => {
    const bomb = table(
      "Bomb",
      row(cell("x", 'table:number-columns-repeated="16384"'), 'table:number-rows-repeated="1048576"'),
    );
    const bounded = { ...odsReader, read: (input: ReadInput) => readOds(input, { cells: 50_000 }) };
    const document = await parseAs("a.ods", odsOf(bomb), { readers: [bounded] });
    expect(document.parts).toHaveLength(3);
    expect(document.warnings).toEqual([
      'Sheet "Bomb" is too large: its first 3 rows with content were read, 1048573 after them were left out.',
    ]);
  });

  it("a file that is damaged gives what stands before the damage, one behind a password says so", async () => {
    const cut = odsContent(table("S", row(cell("kept")))).replace(/<\/table:table>.*/s, "<table:table-row><");
    const document = await parseAs(
      "a.ods",
      zipOf({ mimetype: "application/vnd.oasis.opendocument.spreadsheet", "content.xml": cut }),
    );
    expect(textOfParts(document)).toBe("## S\n\nkept");
    expect(document.warnings).toHaveLength(1);
    const manifest =
      '<manifest:manifest xmlns:manifest="m"><manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>';
    expect(
      await failureOf(parseAs("a.ods", odsOf("", "", { "META-INF/manifest.xml": manifest }))),
    ).toMatchObject({
      failure: "needs_password",
    });
  });
});
