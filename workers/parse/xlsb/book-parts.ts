import type { CellNote } from "../spreadsheet/cell-text.ts";
import { columnName } from "../spreadsheet/cell-name.ts";
import { walkRecords } from "./records.ts";

const NUMBER_FORMAT = 44;
const CELL_STYLE = 47;
const SHARED_TEXT = 19;
const BOOK_PROPERTIES = 153;
const SHEET = 156;
const BEGIN_CELL_STYLES = 617;
const END_CELL_STYLES = 618;
const NOTE_AUTHOR = 632;
const NOTE = 635;
const NOTE_TEXT = 637;

export interface BinarySheetEntry {
  readonly name: string;
  readonly relationship: string;
  readonly isHidden: boolean;
}

/** The list of sheets. */
export function binaryWorkbook(bytes: Uint8Array): { sheets: BinarySheetEntry[]; date1904: boolean } {
  const sheets: BinarySheetEntry[] = [];
  let date1904 = false;
  walkRecords(bytes, (record) => {
    if (record.type === BOOK_PROPERTIES) date1904 = (record.int(0) & 1) === 1;
    if (record.type !== SHEET) return;
    const relationship = record.text(8);
    sheets.push({
      name: record.text(relationship.end).text,
      relationship: relationship.text,
      isHidden: record.int(0) !== 0,
    });
  });
  return { sheets, date1904 };
}

/** The number format of each cell style. */
export function binaryStyles(bytes: Uint8Array): (string | number)[] {
  const codes = new Map<number, string>();
  const formats: number[] = [];
  let inCellStyles = false;
  walkRecords(bytes, (record) => {
    if (record.type === NUMBER_FORMAT) codes.set(record.short(0), record.text(2).text);
    else if (record.type === BEGIN_CELL_STYLES) inCellStyles = true;
    else if (record.type === END_CELL_STYLES) inCellStyles = false;
    else if (record.type === CELL_STYLE && inCellStyles) formats.push(record.short(2));
  });
  return formats.map((id) => codes.get(id) ?? id);
}

/** The texts that cells name by number, and whether the list is whole. */
export function binaryStrings(bytes: Uint8Array): { strings: string[]; isWhole: boolean } {
  const strings: string[] = [];
  const isWhole = walkRecords(bytes, (record) => {
    if (record.type === SHARED_TEXT) strings.push(record.text(1).text);
  });
  return { strings, isWhole };
}

/** The notes on a sheet's cells, each by the name of its cell. */
export function binaryNotes(bytes: Uint8Array, add: (cell: string, note: CellNote) => void): void {
  const authors: string[] = [];
  let author: string | null = null;
  let cell = "";
  walkRecords(bytes, (record) => {
    if (record.type === NOTE_AUTHOR) authors.push(record.text(0).text);
    else if (record.type === NOTE) {
      author = authors[record.int(0)] ?? null;
      // First and last row, then first and last column.
      cell = `${columnName(Math.min(record.int(12), 0xffff))}${record.int(4) + 1}`;
    } else if (record.type === NOTE_TEXT) add(cell, { author, text: record.text(1).text });
  });
}
