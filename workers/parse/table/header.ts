import type { TableRow } from "./row.ts";

/** Nobody names a column in more characters. */
const MAX_NAME_LENGTH = 200;
const number = /^[-+(]?[\p{Sc}\s]*[\d.,'\s:/-]+[%\p{Sc}\s)]*$/u;
const year = /^(?:19|20)\d\d$/;

/** Whether a row reads like the names of columns: at least two, most columns between them named, and none a number but a year. */
export function readsLikeNames({ cells }: TableRow): boolean {
  const first = cells[0];
  const last = cells.at(-1);
  if (first === undefined || last === undefined || cells.length < 2) return false;
  if (cells.length * 2 < last.column - first.column + 1) return false;
  let words = 0;
  for (const { text } of cells) {
    if (text.length > MAX_NAME_LENGTH) return false;
    if (!number.test(text)) words++;
    else if (!year.test(text)) return false;
  }
  return words > 0;
}

/** Whether a row that reads like names begins another table: its columns are not those of the table before it. */
export function namesOthers(row: TableRow, header: TableRow): boolean {
  return (
    row.cells.length !== header.cells.length ||
    row.cells.some((cell, at) => cell.column !== header.cells[at]?.column)
  );
}

/** Whether a row can stand under the names. */
export function standsUnder(row: TableRow, header: TableRow): boolean {
  const first = header.cells[0]?.column ?? 0;
  const last = header.cells.at(-1)?.column ?? 0;
  return row.cells.every(({ column }) => column >= first && column <= last);
}
