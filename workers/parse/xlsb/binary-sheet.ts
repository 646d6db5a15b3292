import type { Relationship } from "../pptx/package.ts";
import { columnName } from "../spreadsheet/cell-name.ts";
import { printedText } from "../spreadsheet/printed-text.ts";
import type { SheetWriter } from "../spreadsheet/sheet-writer.ts";
import type { SheetContext } from "../xlsx/cell-reader.ts";
import type { Notes } from "../xlsx/notes.ts";
import { createRowReader } from "../xlsx/row-reader.ts";
import type { SheetFacts } from "../xlsx/worksheet.ts";
import { type BinaryRecord, walkRecords } from "./records.ts";

const ROW = 0;
const LINK = 494;
const HEADER_FOOTER = 479;
const RICH_TEXT = 62;
/** Cells next to the one before them leave their column out: from here on, in the order of the others from blank on. */
const FIRST_SHORT = 12;
const LAST_SHORT = 18;
const LAST_LONG = 11;
const STYLE_MASK = 0xffffff;
/** Headers and footers: odd, even, first page. */
const PRINTED_TEXTS = 6;
const errors: Readonly<Record<number, string>> = {
  0x00: "#NULL!",
  0x07: "#DIV/0!",
  0x0f: "#VALUE!",
  0x17: "#REF!",
  0x1d: "#NAME?",
  0x24: "#NUM!",
  0x2a: "#N/A",
};

/** Hands over a worksheet of an .xlsb row by row. */
export function writeBinarySheet(
  bytes: Uint8Array,
  sheet: SheetWriter,
  context: SheetContext & { readonly notes: Notes; readonly relationships: readonly Relationship[] },
): SheetFacts {
  const rows = createRowReader(sheet, context.notes, binaryLinks(bytes, context.relationships));
  const printed: string[] = [];
  let column = -1;
  const isWhole = walkRecords(bytes, (record) => {
    const { type } = record;
    if (type === ROW) {
      rows.close();
      rows.open(record.int(0) + 1);
      column = -1;
    } else if (type === HEADER_FOOTER) printed.push(...printedTexts(record));
    else if (type <= LAST_SHORT || type === RICH_TEXT) {
      const isShort = type >= FIRST_SHORT && type <= LAST_SHORT;
      column = isShort ? column + 1 : record.int(0);
      // What does not fit any more is counted, not read.
      const shown = sheet.isFull ? "…" : shownIn(record, isShort ? 0 : 4, context);
      if (shown !== "" && type !== 1 && type !== FIRST_SHORT) rows.add(column, shown);
    }
  });
  rows.close();
  rows.end();
  return { problem: isWhole ? null : "its records are cut off.", uncomputed: 0, printed };
}

/** `at`: where the style of the cell stands. */
function shownIn(record: BinaryRecord, at: number, context: SheetContext): string {
  const value = at + 4;
  const number = (real: number): string =>
    Number.isFinite(real)
      ? context.formatNumber(real, context.formats[record.int(at) & STYLE_MASK] ?? 0)
      : "";
  const { type } = record;
  const kind = type > LAST_LONG && type <= LAST_SHORT ? type - LAST_LONG : type;
  switch (kind) {
    case 2:
      return number(record.compactNumber(value));
    case 3:
    case 11:
      return errors[record.byte(value)] ?? "";
    case 4:
    case 10:
      return record.byte(value) === 0 ? "FALSE" : "TRUE";
    case 5:
    case 9:
      return number(record.real(value));
    case 6:
    case 8:
      return record.text(value).text;
    case 7:
      return context.sharedStrings[record.int(value)] ?? "";
    case RICH_TEXT:
      return record.text(value + 1).text;
    default:
      return "";
  }
}

/** The links stand behind the rows; one that claims many cells marks the first of them. */
function binaryLinks(bytes: Uint8Array, relationships: readonly Relationship[]): Map<string, string> {
  const links = new Map<string, string>();
  if (!relationships.some(({ kind }) => kind === "hyperlink")) return links;
  const targets = new Map(relationships.map(({ id, target }) => [id, target]));
  walkRecords(bytes, (record) => {
    if (record.type !== LINK) return;
    const target = targets.get(record.text(16).text);
    const column = Math.min(record.int(8), 0xffff);
    if (target !== undefined) links.set(`${columnName(column)}${record.int(0) + 1}`, target);
  });
  return links;
}

function printedTexts(record: BinaryRecord): string[] {
  const texts: string[] = [];
  let at = 2;
  for (let count = 0; count < PRINTED_TEXTS; count++) {
    const { text, end } = record.text(at);
    texts.push(printedText(text));
    at = end;
  }
  return texts;
}
