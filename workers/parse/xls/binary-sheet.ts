import type { RowBudget } from "../spreadsheet/row-budget.ts";

const ROW = 0;
const LINK = 0x01ee;
/** Records of one cell that is not empty: numbers, texts, truth values, errors, and formulas with their results. */
const FIRST_CELL = 2;
const LAST_CELL = 11;
const RICH_CELL = 0x3e;
const SHORT_CELLS: ReadonlySet<number> = new Set([0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12]);

/** Counts the cells of a worksheet of an .xlsb; a copy in which a link marks one cell, however many it claims. */
export function tameBinarySheet(bytes: Uint8Array, budget: RowBudget): Uint8Array {
  const sheet = Buffer.from(bytes);
  let row = 0;
  let at = 0;
  /** Seven bits a byte, the lowest first; the highest bit says that more follow. */
  const number = (maxBytes: number): number => {
    let value = 0;
    for (let count = 0; count < maxBytes; count++) {
      const byte = sheet[at++] ?? 0;
      value += (byte & 0x7f) << (7 * count);
      if ((byte & 0x80) === 0) break;
    }
    return value;
  };
  while (at < sheet.length) {
    const type = number(2);
    const length = number(4);
    if (type === ROW && at + 4 <= sheet.length) row = sheet.readUInt32LE(at);
    else if ((type >= FIRST_CELL && type <= LAST_CELL) || type === RICH_CELL || SHORT_CELLS.has(type))
      budget.count(row);
    else if (type === LINK && at + 16 <= sheet.length) {
      // First and last row, then first and last column.
      sheet.copyWithin(at + 4, at, at + 4);
      sheet.copyWithin(at + 12, at + 8, at + 12);
    }
    at += length;
  }
  return sheet;
}
