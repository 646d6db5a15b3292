import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { failureOf, parseAs, textOfParts } from "../support/parse.ts";

const folder = fileURLToPath(new URL("../../../shared/cases", import.meta.url));
const missing = !existsSync(join(folder, "cases.tsv"));
if (missing) console.warn("The hard inputs of ../shared/cases are not here: their tests are skipped.");

const bytesOf = (file: string): Uint8Array => readFileSync(join(folder, file));

describe.skipIf(missing)("hard spreadsheets", () => {
  it.each([
    ["xlsx/sheetjs-number_format_entities.xlsx", `12345.679 < > " & '`],
    [
      "xlsx/poi-48962.xlsx",
      "| 2 | Compile list of first round vendors | Complete | High | 2008-03-15 | Mark | 0 |",
    ],
    ["xlsx/sheetjs-cell_style_simple.xlsx", "| 10 | 11 | 12 |"],
    ["xlsx/poi-51626_contact.xlsx", "| --- |\n| Frank2 | McKee | Company Co. |"],
    ["xlsx/poi-WithDrawing.xlsx", "Sheet with various pictures"],
    ["xlsx/poi-TestShiftRowSharedFormula.xlsx", "| Total | 12 | 15 | 18 |"],
    ["xls/poi-60273.xls", "Run Date:"],
    ["xls/sheetjs-write_57.xls", "| foo | bar | 2014-02-19 00:00 | 0.3 |"],
    ["xls/poi-WithThreeCharts.xls", "[Chart: Pie Chart Title Thingy]"],
    ["xls/poi-47701.xls", "Blue\nGreen\nBlack\nYellow"],
    ["ods/sheetjs-rich_text_stress.ods", "| subscript | this text is subscripted sure enough |"],
    ["ods/sheetjs-crlf.ods", "| Formula | abc def |"],
    ["office-encrypted/tika-protect.xlsx", "При запуске пробной версии Office 2007"],
    ["office-hostile/poi-xxe_in_schema.xlsx", "| /Test/Test | Column1 | Column2 |"],
    ["csv/unstructured-stanley-cups-with-emoji.tsv", "| Maple Leafs | TOR | 13 |"],
    ["csv/unstructured-csv-with-line-delimiter.csv", "| col1 | col2 | col3 |"],
  ])("%s: the text a person sees", async (file, expected) => {
    const document = await parseAs(file.slice(file.indexOf("/") + 1), bytesOf(file));
    expect(textOfParts(document)).toContain(expected);
    expect(document.warnings).toEqual([]);
  });

  it.each([
    ["office-encrypted/poi-60320-protected.xlsx", "needs_password"],
    ["office-encrypted/tika-testEXCEL_protected_passtika.xlsx", "needs_password"],
    ["office-encrypted/tika-testEXCEL_protected_passtika_2.xlsx", "needs_password"],
    ["office-hostile/poi-clusterfuzz-testcase-minimized-POIXSSFFuzzer-6448258963341312.xlsx", "corrupt"],
    ["office-hostile/poi-clusterfuzz-testcase-minimized-XLSX2CSVFuzzer-5025401116950528.xlsx", "corrupt"],
    ["office-hostile/poi-clusterfuzz-testcase-minimized-XLSX2CSVFuzzer-5636439151607808.xlsx", "unsupported"],
    // A chart that is a foreign object, and not one cell.
    ["xlsx/tika-testMSChart-govdocs-428996.xlsx", "no_text"],
  ])("K4.5 %s: %s", async (file, failure) => {
    expect(await failureOf(parseAs(file.slice(file.indexOf("/") + 1), bytesOf(file)))).toMatchObject({
      failure,
    });
  });
});
