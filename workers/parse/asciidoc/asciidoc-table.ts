import type { TableRow } from "../markup/markup-lines.ts";

const MAX_COLUMNS = 200;
/** Cells that marks of repetition may add. */
const MAX_REPEATED = 10_000;
/** What stands in front of a cell's mark: how often it repeats, how many columns and rows it fills, how it is set. */
const specification = /(?:^|\s)(?:(\d{1,3})?(?:\.\d{1,3})?([+*]))?(?:[<^>](?:\.[<^>])?|\.[<^>])?[adehlmsv]?$/;

/** Rows of a table's lines. Columns are counted by `cols`, else by the cells of its first line. */
export function asciidocTable(
  lines: readonly string[],
  first: number,
  cols: string | undefined,
  separator: string,
): TableRow[] {
  if (separator === "," || separator === ";" || separator === ":") return separated(lines, first, separator);
  const cells: { text: string; origin: number }[] = [];
  let counted: number | null = null;
  let repeated = 0;
  for (const [at, line] of lines.entries()) {
    const pieces = splitCells(line, separator);
    const lead = pieces[0] ?? "";
    const last = cells.at(-1);
    let repeats = specification.exec(lead);
    const before = repeats === null ? lead : lead.slice(0, repeats.index);
    if (last !== undefined && before.trim() !== "") last.text = `${last.text} ${before.trim()}`;
    for (const [index, piece] of pieces.entries()) {
      if (index === 0) continue;
      const next = index < pieces.length - 1 ? specification.exec(piece) : null;
      const text = (next === null ? piece : piece.slice(0, next.index)).trim();
      const times = repeated < MAX_REPEATED ? Math.min(Number(repeats?.[1] ?? 1), MAX_COLUMNS) : 1;
      repeated += times - 1;
      for (let count = 0; count < times; count++)
        cells.push({ text: count === 0 || repeats?.[2] === "*" ? text : "", origin: first + at });
      repeats = next;
    }
    if (counted === null && cells.length > 0) counted = cells.length;
  }
  return rowsOf(cells, countColumns(cols) ?? counted ?? 1);
}

function rowsOf(cells: readonly { text: string; origin: number }[], columns: number): TableRow[] {
  const rows: TableRow[] = [];
  for (let at = 0; at < cells.length; at += columns) {
    const row = cells.slice(at, at + columns);
    rows.push({ cells: row.map(({ text }) => text), origin: row[0]?.origin ?? 1 });
  }
  return rows;
}

/** "1,2,3", "3*", "2*,1". */
function countColumns(cols: string | undefined): number | null {
  if (cols === undefined || cols.trim() === "") return null;
  let count = 0;
  for (const piece of cols.split(/[,;]/, MAX_COLUMNS))
    count += Number(/^\s*(\d{1,3})\*/.exec(piece)?.[1] ?? 1);
  return Math.max(1, Math.min(count, MAX_COLUMNS));
}

/** A line at its marks, those behind a backslash not counted. */
function splitCells(line: string, separator: string): string[] {
  if (!line.includes(`\\${separator}`)) return line.split(separator);
  const pieces: string[] = [""];
  for (const piece of line.split(separator)) {
    const last = pieces.length - 1;
    if (pieces[last]?.endsWith("\\") === true)
      pieces[last] = `${pieces[last].slice(0, -1)}${separator}${piece}`;
    else pieces.push(piece);
  }
  return pieces.slice(1);
}

function separated(lines: readonly string[], first: number, separator: string): TableRow[] {
  return lines.map((line, at) => ({
    cells: line.split(separator).map((cell) => cell.trim().replace(/^"(.*)"$/, "$1")),
    origin: first + at,
  }));
}
