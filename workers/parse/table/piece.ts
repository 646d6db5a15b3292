import { estimateTokens } from "../../chunk/tokens.ts";
import { delimiterLine, tableLine } from "../markdown-table.ts";
import type { TableRow } from "./row.ts";

/** Tokens that the bars of an empty cell take. */
const EMPTY_CELL_TOKENS = 0.7;
const FRAME_TOKENS = 0.7;

/** Rows of one table within a group, under its names; or lines that are no table. */
export interface Piece {
  readonly kind: "table" | "lines";
  readonly header: TableRow | null;
  readonly rows: readonly TableRow[];
  tokens(): number;
  /** Whether a row, which has so many tokens itself, fits in when the whole may have `limit` tokens. */
  fits(row: TableRow, tokens: number, limit: number): boolean;
  add(row: TableRow, tokens: number): void;
}

export function createPiece(kind: Piece["kind"], header: TableRow | null): Piece {
  const rows: TableRow[] = [];
  const columns = new Set(header?.cells.map((cell) => cell.column));
  let filled = 0;
  let own = header === null ? 0 : tokensOf(header) + 2 * FRAME_TOKENS * columns.size;
  const total = (tokens: number, count: number, width: number, cells: number): number =>
    kind === "lines" ? tokens : tokens + EMPTY_CELL_TOKENS * Math.max(0, count * width - cells);
  return {
    kind,
    header,
    rows,
    tokens: () => total(own, rows.length, columns.size, filled),
    fits(row, tokens, limit) {
      let width = columns.size;
      for (const { column } of row.cells) if (!columns.has(column)) width++;
      return total(own + tokens, rows.length + 1, width, filled + row.cells.length) <= limit;
    },
    add(row, tokens) {
      rows.push(row);
      filled += row.cells.length;
      own += tokens;
      for (const { column } of row.cells) columns.add(column);
    },
  };
}

export function tokensOf(row: TableRow): number {
  let tokens = 0;
  for (const { text } of row.cells) tokens += estimateTokens(text) + FRAME_TOKENS;
  return tokens;
}

/** A line of text with the line of the file that it comes from. */
export interface WrittenLine {
  readonly text: string;
  readonly origin: number;
}

/** As Markdown. A table needs a first row for its names: where it has none, the first of its rows stands there. */
export function writePiece({ kind, header, rows }: Piece): WrittenLine[] {
  const first = rows[0]?.line ?? 1;
  if (kind === "lines")
    return rows.map((row) => ({
      text: row.cells.map((cell) => cell.text).join(" "),
      origin: row.line ?? first,
    }));
  const all = header === null ? rows : [header, ...rows];
  const columns = [...new Set(all.flatMap((row) => row.cells.map((cell) => cell.column)))].sort(
    (a, b) => a - b,
  );
  const written = all.map((row, at): WrittenLine => {
    const texts = textsOf(row, columns);
    // The names are no line of their own: a hit points at the rows.
    return {
      text: tableLine(texts, at === 0 ? columns.length : texts.length),
      origin: row === header ? first : (row.line ?? first),
    };
  });
  // One row alone has no names above it: a long one would be followed by a longer delimiter.
  if (written.length > 1) written.splice(1, 0, { text: delimiterLine(columns.length), origin: first });
  return written;
}

/** The texts of a row by the columns that are shown, up to its last filled one. */
function textsOf(row: TableRow, columns: readonly number[]): string[] {
  const texts: string[] = [];
  let next = 0;
  for (const column of columns) {
    const cell = row.cells[next];
    if (cell === undefined) break;
    if (cell.column === column) next++;
    texts.push(cell.column === column ? cell.text : "");
  }
  return texts;
}
