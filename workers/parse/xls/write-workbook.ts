import type { CellObject, WorkBook, WorkSheet } from "@e965/xlsx";
import { wellFormed } from "../clean-text.ts";
import type { ParsedFile } from "../reader.ts";
import type { BookWriter } from "../spreadsheet/book-writer.ts";
import type { SheetWriter } from "../spreadsheet/sheet-writer.ts";
import { cellText } from "../spreadsheet/cell-text.ts";
import { createNumberFormatter, type NumberFormatter } from "../spreadsheet/number-format.ts";
import type { TableCell } from "../table/row.ts";

/** Rows and columns that a sheet can have; whatever lies beyond is no cell. */
const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;
/** Longer rows are looked through by the cells they have, not by their columns. */
const MAX_DENSE = 256;

export interface SheetFacts {
  /** 0-based, as the bytes say; -1 when there is none. */
  readonly lastRow: number;
  readonly texts: readonly string[];
}

/** Hands over what the library read. `rowLimit`: rows of each sheet that it was told to read, null for all. */
export async function writeWorkbook(
  book: BookWriter,
  workbook: WorkBook,
  factsOf: (index: number) => SheetFacts,
  rowLimit: number | null,
): Promise<ParsedFile> {
  const format = await createNumberFormatter(workbook.Workbook?.WBProps?.date1904 === true);
  for (const [index, name] of workbook.SheetNames.entries()) {
    const properties = workbook.Workbook?.Sheets?.find((sheet) => sheet.name === name);
    const content = workbook.Sheets[name];
    const sheet = book.sheet(name, (properties?.Hidden ?? 0) !== 0);
    const facts = factsOf(index);
    if (content === undefined)
      book.warn(`Sheet "${name}" could not be read: its records are damaged.`, "corrupt");
    else writeRows(sheet, content, format);
    if (rowLimit !== null) sheet.skip(Math.max(0, facts.lastRow + 1 - rowLimit));
    for (const text of facts.texts) sheet.line(text);
    sheet.end();
  }
  return book.end(aboutOf(workbook));
}

function writeRows(sheet: SheetWriter, content: WorkSheet, format: NumberFormatter): void {
  const rows: readonly (readonly (CellObject | undefined)[] | undefined)[] = content["!data"] ?? [];
  for (let row = 0; row < Math.min(rows.length, MAX_ROWS); row++) {
    const found = rows[row];
    if (found === undefined) continue;
    const cells: TableCell[] = [];
    for (const column of columnsOf(found)) {
      const cell = found[column];
      const text = cell === undefined || column >= MAX_COLUMNS ? "" : shown(cell, format);
      if (text !== "") cells.push({ column, text });
    }
    sheet.row(row + 1, cells);
  }
}

function columnsOf(row: readonly unknown[]): Iterable<number> {
  return row.length <= MAX_DENSE ? row.keys() : Object.keys(row).map(Number);
}

function shown(cell: CellObject, format: NumberFormatter): string {
  const link = cell.l?.Target ?? null;
  const notes = (cell.c ?? []).map(({ a, t }) => ({
    author: a === undefined || a === "SheetJ5" ? null : a,
    text: t,
  }));
  return cellText(valueOf(cell, format), link === null && notes.length === 0 ? null : { link, notes });
}

function valueOf({ t, v, w, z }: CellObject, format: NumberFormatter): string {
  if (t === "z" || v === undefined) return w ?? "";
  if (t === "n" && typeof v === "number") return format(v, local[String(z)] ?? z ?? 0);
  return w ?? String(v);
}

/** Formats that stand for "as dates are written here". */
const local: Readonly<Record<string, number>> = { "m/d/yy": 14, "m/d/yy h:mm": 22 };

/** Properties → the names they are kept under. */
const kept = {
  Author: "author",
  LastAuthor: "lastModifiedBy",
  CreatedDate: "created",
  ModifiedDate: "modified",
  Language: "language",
  Subject: "subject",
  Keywords: "keywords",
  Category: "category",
  Comments: "description",
} as const;

function aboutOf({ Props }: WorkBook): { title: string | null; metadata: Record<string, string> } {
  const metadata: Record<string, string> = {};
  for (const [property, name] of Object.entries(kept)) {
    const value: unknown = Props?.[property as keyof typeof kept];
    if (value instanceof Date && !Number.isNaN(value.getTime())) metadata[name] = value.toISOString();
    else if (typeof value === "string" && value.trim() !== "") metadata[name] = wellFormed(value.trim());
  }
  return { title: typeof Props?.Title === "string" ? Props.Title : null, metadata };
}
