import { oneLine } from "./table/row.ts";

/** A row of cells as one line of a Markdown table; cells that are missing up to `width` are empty. */
export function tableLine(cells: readonly string[], width = cells.length): string {
  let line = "|";
  for (let at = 0; at < width; at++) {
    const cell = tableCell(cells[at] ?? "");
    line += cell === "" ? " |" : ` ${cell} |`;
  }
  return line;
}

/** The line below the names of a table's columns. */
export function delimiterLine(width: number): string {
  return `|${" --- |".repeat(width)}`;
}

/**
 * Rows as a Markdown table, the first as the names of its columns; rows and last columns without any content are left out.
 * Empty when nothing is left.
 */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const filled = rows.filter((row) => filledWidth(row) > 0);
  const width = filled.reduce((widest, row) => Math.max(widest, filledWidth(row)), 0);
  const [names, ...others] = filled.map((row) => tableLine(row, width));
  return names === undefined ? "" : [names, delimiterLine(width), ...others].join("\n");
}

/** One line, with no bar that would end the cell. */
export function tableCell(text: string): string {
  const line = oneLine(text);
  return line.includes("|") ? line.replaceAll("|", String.raw`\|`) : line;
}

function filledWidth(row: readonly string[]): number {
  return row.findLastIndex((cell) => cell.trim() !== "") + 1;
}
