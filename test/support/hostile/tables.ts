import { unzipSync, zipSync } from "fflate";
import { docx } from "../word-files.ts";
import { odsOf, xlsxOf, xlsxParts } from "../spreadsheet.ts";
import type { Zoo } from "./zoo.ts";

const cells = (cell: string): string => cell.repeat(1000);
const rows = (row: string): string => row.repeat(1000);

function largeXlsx(xml: string): Uint8Array {
  const parts = xlsxParts({ sheets: [{ name: "S", xml: `<sheetData>${xml}</sheetData>` }] });
  const files = Object.entries(parts).map(([name, text]) => [name, Buffer.from(text)] as const);
  return zipSync(Object.fromEntries(files), { level: 0 });
}

/** A sheet as Excel 2 wrote it: a stream of records alone, one for each cell. */
function bareSheet(rows: number, columns: number): Buffer {
  const record = 13;
  const bytes = Buffer.alloc(8 + rows * columns * record + 4);
  bytes.set([0x09, 0, 4, 0, 2, 0, 0x10, 0], 0);
  let at = 8;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++, at += record) {
      bytes.set([0x02, 0, 9, 0, row & 255, row >> 8, column, 0, 0, 0, 0, 1, 0], at);
    }
  }
  bytes.set([0x0a, 0, 0, 0], at);
  return bytes;
}

/** Stored: what repeats itself so often is a bomb when it is packed. */
const unpacked = (zip: Uint8Array): Uint8Array => zipSync(unzipSync(zip), { level: 0 });

const openCell = "<table:table-cell><text:p>7</text:p></table:table-cell>";
const repeated = (columns: number, rows: number): string =>
  `<table:table table:name="S"><table:table-row table:number-rows-repeated="${rows}"><table:table-cell table:number-columns-repeated="${columns}"><text:p>zq</text:p></table:table-cell></table:table-row></table:table>`;

/** Sheets and tables of a million cells, and of more than there can be. */
export const tables: Zoo = {
  "million cells.xlsx": () => largeXlsx(rows(`<row>${cells("<c><v>1</v></c>")}</row>`)),
  "million texts.xlsx": () =>
    largeXlsx(rows(`<row>${cells('<c t="inlineStr"><is><t>zq word</t></is></c>')}</row>`)),
  "one column.xlsx": () => largeXlsx("<row><c><v>1</v></c></row>".repeat(1_000_000)),
  "one row.xlsx": () => largeXlsx(`<row>${"<c><v>1</v></c>".repeat(1_000_000)}</row>`),
  "far apart.xlsx": () =>
    xlsxOf({
      sheets: [
        {
          name: "S",
          xml: `<dimension ref="A1:XFD1048576"/><sheetData>${Array.from({ length: 1000 }, (_, n) => `<row r="${n * 1000 + 1}"><c r="XFD${n * 1000 + 1}"><v>1</v></c></row>`).join("")}</sheetData>`,
        },
      ],
    }),
  "10000 sheets.xlsx": () =>
    xlsxOf({
      sheets: Array.from({ length: 10_000 }, (_, n) => ({
        name: `S${n}`,
        xml: "<sheetData><row><c><v>1</v></c></row></sheetData>",
      })),
    }),
  "merged.xlsx": () =>
    xlsxOf({
      sheets: [
        {
          name: "S",
          xml: `<sheetData><row><c><v>1</v></c></row></sheetData><mergeCells>${'<mergeCell ref="A1:XFD1048576"/>'.repeat(100_000)}</mergeCells>`,
        },
      ],
    }),
  "million strings.xlsx": () =>
    zipSync(
      Object.fromEntries(
        Object.entries(
          xlsxParts({
            strings: Array.from({ length: 1_000_000 }, () => "<t>zq</t>"),
            sheets: [{ name: "S", xml: "<sheetData><row><c t='s'><v>5</v></c></row></sheetData>" }],
          }),
        ).map(([name, text]) => [name, Buffer.from(text)]),
      ),
      { level: 0 },
    ),
  "million cells.ods": () =>
    unpacked(
      odsOf(
        `<table:table table:name="S">${rows(`<table:table-row>${cells(openCell)}</table:table-row>`)}</table:table>`,
      ),
    ),
  "repeated.ods": () => odsOf(repeated(16_384, 1_048_576)),
  "repeated beyond all.ods": () => odsOf(repeated(2_000_000_000, 2_000_000_000)),
  "million cells.xls": () => bareSheet(4000, 250),
  "million cells.csv": () => rows(`${"1,".repeat(999)}1\n`),
  "million columns.csv": () => `${"a,".repeat(1_000_000)}a\n${"1,".repeat(1_000_000)}1\n`,
  "million rows.csv": () => `a\n${"1\n".repeat(1_000_000)}`,
  "million cells.tsv": () => rows(`${"1\t".repeat(999)}1\n`),
  "million cells.html": () => `<table>${rows(`<tr>${cells("<td>1</td>")}</tr>`)}</table>`,
  "spanned.html": () =>
    `<table>${'<tr><td colspan="1000000" rowspan="1000000">zq</td></tr>'.repeat(1000)}</table>`,
  "million cells.md": () =>
    `${"| a ".repeat(1000)}|\n${"| - ".repeat(1000)}|\n${rows(`${"| 1 ".repeat(1000)}|\n`)}`,
  "million cells.org": () => rows(`${"| 1 ".repeat(1000)}|\n`),
  "million cells.rst": () => `${"= ".repeat(1000)}\n${rows(`${"1 ".repeat(1000)}\n`)}${"= ".repeat(1000)}\n`,
  "million cells.adoc": () => `|===\n${rows(`${"|1 ".repeat(1000)}\n`)}|===\n`,
  "million cells.tex": () =>
    String.raw`\begin{tabular}{l}` + rows(`${"1 & ".repeat(1000)}\\\\\n`) + String.raw`\end{tabular}`,
  "million cells.docx": () =>
    unpacked(
      docx({
        body: `<w:tbl>${`<w:tr>${"<w:tc><w:p><w:r><w:t>1</w:t></w:r></w:p></w:tc>".repeat(500)}</w:tr>`.repeat(500)}</w:tbl>`,
      }),
    ),
  "million cells.rtf": () =>
    String.raw`{\rtf1 ` + rows(String.raw`\trowd\intbl ${cells(String.raw`1\cell `)}\row `) + "}",
  "million cells.ipynb": () =>
    JSON.stringify({
      nbformat: 4,
      cells: [
        {
          cell_type: "code",
          source: "",
          outputs: [
            {
              output_type: "display_data",
              data: { "text/html": `<table>${rows(`<tr>${cells("<td>1</td>")}</tr>`)}</table>` },
            },
          ],
        },
      ],
    }),
  "million cells.jsonl": () => rows(`[${"1,".repeat(999)}1]\n`),
};
