import type { CellRange } from "../table/row-groups.ts";

const LETTERS = 26;
const A = 65;
const MAX_LETTERS = 3;
const MAX_DIGITS = 7;

/** 0 is A, 26 is AA. */
export function columnName(column: number): string {
  let name = "";
  for (let left = column + 1; left > 0; left = Math.floor((left - 1) / LETTERS))
    name = String.fromCharCode(A + ((left - 1) % LETTERS)) + name;
  return name;
}

/** "A1:F20". */
export function rangeName({ firstRow, lastRow, firstColumn, lastColumn }: CellRange): string {
  return `${columnName(firstColumn)}${firstRow}:${columnName(lastColumn)}${lastRow}`;
}

export interface CellPlace {
  /** 0-based. */
  readonly column: number;
  /** 1-based. */
  readonly row: number;
}

/** "AB12", or the first cell of a range; null when it is neither. */
export function cellPlace(name: string): CellPlace | null {
  let at = name.startsWith("$") ? 1 : 0;
  let column = 0;
  const lettersFrom = at;
  for (; at < name.length; at++) {
    // Upper and lower case differ in one bit.
    const letter = (name.charCodeAt(at) & ~0x20) - A;
    if (letter < 0 || letter >= LETTERS) break;
    column = column * LETTERS + letter + 1;
  }
  if (at === lettersFrom || at - lettersFrom > MAX_LETTERS) return null;
  if (name[at] === "$") at++;
  const row = Number.parseInt(name.slice(at, at + MAX_DIGITS), 10);
  return row >= 1 ? { column: column - 1, row } : null;
}
