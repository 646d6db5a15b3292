import type { TableRow } from "../markup/markup-lines.ts";
import { countBreaks } from "./latex-source.ts";

const MAX_SPAN = 50;

/** Rows and cells of a table's source, as they are written. `line`: the line of the file that it begins in. */
export function latexTable(source: string, line: number): TableRow[] {
  const rows: { cells: string[]; origin: number }[] = [];
  let cells: string[] = [];
  let start = 0;
  let depth = 0;
  let current = line;
  let origin = line;
  const endCell = (end: number): void => {
    const cell = source.slice(start, end).trim();
    if (cells.length === 0) origin = current - countBreaks(cell, 0, cell.length);
    cells.push(cell);
    const span = Math.min(Number(/^\\multicolumn\s*\{(\d{1,3})\}/.exec(cell)?.[1] ?? 1), MAX_SPAN);
    for (let more = 1; more < span; more++) cells.push("");
  };
  const endRow = (end: number): void => {
    endCell(end);
    rows.push({ cells, origin });
    cells = [];
  };
  for (let at = 0; at < source.length; at++) {
    const sign = source[at];
    if (sign === "\n") current++;
    else if (sign === "{") depth++;
    else if (sign === "}") depth = Math.max(0, depth - 1);
    else if (sign === "%") {
      const end = source.indexOf("\n", at);
      at = end === -1 ? source.length : end - 1;
    } else if (sign === "&" && depth === 0) {
      endCell(at);
      start = at + 1;
    } else if (sign === "\\") {
      const command =
        /^\\(?:\\\*?(?:\s?\[[^\]\n]{0,40}\])?|tabularnewline\b|endhead\b|endfirsthead\b|endfoot\b|endlastfoot\b)/.exec(
          source.slice(at, at + 60),
        );
      if (command === null || depth > 0) at++;
      else {
        endRow(at);
        at += command[0].length - 1;
        start = at + 1;
      }
    }
  }
  if (source.slice(start).trim() !== "" || cells.length > 0) endRow(source.length);
  return rows;
}
