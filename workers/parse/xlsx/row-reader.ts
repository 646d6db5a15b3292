import type { SheetWriter } from "../spreadsheet/sheet-writer.ts";
import { cellPlace, columnName } from "../spreadsheet/cell-name.ts";
import { type CellExtras, cellText } from "../spreadsheet/cell-text.ts";
import type { TableCell } from "../table/row.ts";
import type { Notes } from "./notes.ts";

const MAX_COLUMNS = 16_384;
const MAX_ROWS = 1_048_576;

/** Cells → rows of what is not empty. A note on a cell that is not in the file makes a cell of its own. */
export interface RowReader {
  /** Without a number it is the next one. */
  open(number: number): void;
  /** The column of a cell; without a name it is next to the one before it. */
  column(name: string | undefined): number;
  add(column: number, shown: string): void;
  close(): void;
  end(): void;
}

export function createRowReader(
  sheet: SheetWriter,
  notes: Notes,
  links: ReadonlyMap<string, string>,
): RowReader {
  const noted = rowsWithNotes(notes);
  const hasExtras = notes.size > 0 || links.size > 0;
  const extrasOf = (column: number): CellExtras | null => {
    if (!hasExtras) return null;
    const name = `${columnName(column)}${row}`;
    const said = notes.get(name);
    const link = links.get(name);
    return said === undefined && link === undefined ? null : { notes: said ?? [], link: link ?? null };
  };
  let row = 0;
  let next = 0;
  let nextNoted = 0;
  let isOpen = false;
  let cells: TableCell[] = [];
  const write = (columns: readonly number[]): void => {
    const known = new Set(columns.length > 0 ? cells.map((cell) => cell.column) : []);
    for (const column of columns)
      if (!known.has(column)) cells.push({ column, text: cellText("", extrasOf(column)) });
    sheet.row(row, inOrder(cells.filter(({ text }) => text !== "")));
    cells = [];
    isOpen = false;
  };
  const writeNotesAbove = (number: number): void => {
    for (let next = noted[nextNoted]; next !== undefined && next.row < number; next = noted[++nextNoted]) {
      row = next.row;
      write(next.columns);
    }
  };
  return {
    open(number) {
      const opened = Number.isInteger(number) && number > 0 ? number : row + 1;
      writeNotesAbove(opened);
      row = opened;
      next = 0;
      isOpen = true;
    },
    column(name) {
      const column = name === undefined ? next : (cellPlace(name)?.column ?? next);
      next = column + 1;
      return column;
    },
    add(column, shown) {
      if (column < MAX_COLUMNS) cells.push({ column, text: cellText(shown, extrasOf(column)) });
    },
    close() {
      if (!isOpen) return;
      const here = noted[nextNoted];
      if (here?.row === row) nextNoted++;
      write(here?.row === row ? here.columns : []);
    },
    end: () => writeNotesAbove(Number.POSITIVE_INFINITY),
  };
}

/** By column. Of two cells in one place the first is kept. */
function inOrder(cells: TableCell[]): TableCell[] {
  const isSorted = cells.every((cell, at) => at === 0 || (cells[at - 1]?.column ?? 0) < cell.column);
  if (isSorted) return cells;
  cells.sort((a, b) => a.column - b.column);
  return cells.filter((cell, at) => cells[at - 1]?.column !== cell.column);
}

function rowsWithNotes(notes: Notes): { readonly row: number; readonly columns: readonly number[] }[] {
  const rows = new Map<number, number[]>();
  for (const name of notes.keys()) {
    const place = cellPlace(name);
    if (place === null || place.row > MAX_ROWS || place.column >= MAX_COLUMNS) continue;
    const columns = rows.get(place.row);
    if (columns === undefined) rows.set(place.row, [place.column]);
    else columns.push(place.column);
  }
  return [...rows].map(([row, columns]) => ({ row, columns })).sort((a, b) => a.row - b.row);
}
