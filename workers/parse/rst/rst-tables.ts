import type { TableRow } from "../markup/markup-lines.ts";

/** Lines of a table, and the line of the file that the first of them is. */
export interface TableLines {
  readonly lines: readonly string[];
  readonly first: number;
}

/** Columns that are told apart; what stands right of them belongs to the last. */
const MAX_COLUMNS = 200;

export const gridBorder = /^\s*\+(?:[-=]+\+)+\s*$/;
export const simpleBorder = /^\s*=+(?:\s+=+)+\s*$/;

/** A table drawn with + - and |. A cell that reaches over several columns fills the first of them. */
export function gridTable({ lines, first }: TableLines): TableRow[] {
  const edges = [...(lines[0] ?? "").matchAll(/\+/g)].slice(0, MAX_COLUMNS).map(({ index }) => index);
  const rows: TableRow[] = [];
  let cells: string[] | null = null;
  let origin = first;
  const close = (): void => {
    if (cells !== null) rows.push({ cells, origin });
    cells = null;
  };
  for (const [at, line] of lines.entries()) {
    if (/^\s*\+[-=+]*\+?\s*$/.test(line)) {
      close();
      continue;
    }
    if (cells === null) {
      cells = [];
      origin = first + at;
    }
    for (const [column, edge] of edges.slice(0, -1).entries()) {
      const piece = cellBetween(line, edge, edges, column);
      if (piece !== "") cells[column] = `${cells[column] ?? ""} ${piece}`.trim();
      else cells[column] ??= "";
    }
  }
  close();
  return rows;
}

/** What stands right of an edge, up to the next edge that the line really has; empty where the line has none here. */
function cellBetween(line: string, edge: number, edges: readonly number[], column: number): string {
  if (line[edge] !== "|" && line[edge] !== "+") return "";
  let next = column + 1;
  while (next < edges.length - 1 && line[edges[next] ?? 0] !== "|" && line[edges[next] ?? 0] !== "+") next++;
  const text = line.slice(edge + 1, edges[next] ?? line.length);
  return /^[-=]+$/.test(text) ? "" : text.replace(/\|\s*$/, "").trim();
}

/** A table whose columns stand under runs of "=". A row whose first cell is empty goes on with the row before. */
export function simpleTable({ lines, first }: TableLines): TableRow[] {
  const border = lines[0] ?? "";
  const starts = [...border.matchAll(/=+/g)].slice(0, MAX_COLUMNS).map(({ index }) => index);
  const rows: { cells: string[]; origin: number }[] = [];
  for (const [at, line] of lines.entries()) {
    if (simpleBorder.test(line) || /^\s*-+(?:\s+-+)*\s*$/.test(line) || line.trim() === "") continue;
    const cells = starts.map((start, column) => line.slice(start, starts[column + 1] ?? line.length).trim());
    const last = rows.at(-1);
    if (cells[0] === "" && last !== undefined && at > 0) {
      for (const [column, cell] of cells.entries())
        if (cell !== "") last.cells[column] = `${last.cells[column] ?? ""} ${cell}`.trim();
    } else rows.push({ cells, origin: first + at });
  }
  return rows;
}

/** A list of lists: `* - cell`. */
export function listTable({ lines, first }: TableLines): TableRow[] {
  const rows: { cells: string[]; origin: number }[] = [];
  for (const [at, line] of lines.entries()) {
    const opened = /^\s*[*+-]\s+[*+-](?:\s+(.*))?$/.exec(line);
    const next = opened === null ? /^\s+[*+-](?:\s+(.*))?$/.exec(line) : null;
    const row = rows.at(-1);
    if (opened !== null) rows.push({ cells: [opened[1] ?? ""], origin: first + at });
    else if (row !== undefined && next !== null) row.cells.push(next[1] ?? "");
    else if (row !== undefined && line.trim() !== "")
      row.cells.push(`${row.cells.pop() ?? ""} ${line.trim()}`.trim());
  }
  return rows;
}

const csvCell = /\s*(?:"((?:[^"]|"")*)"\s*|([^,]*))(,|$)/y;

/** One line a row; cells in quotes may hold commas. */
export function csvTable({ lines, first }: TableLines): TableRow[] {
  const rows: TableRow[] = [];
  for (const [at, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const cells: string[] = [];
    csvCell.lastIndex = 0;
    for (let found = csvCell.exec(line); found !== null; found = csvCell.exec(line)) {
      cells.push((found[1]?.replaceAll('""', '"') ?? found[2] ?? "").trim());
      if (found[3] !== ",") break;
    }
    rows.push({ cells, origin: first + at });
  }
  return rows;
}
