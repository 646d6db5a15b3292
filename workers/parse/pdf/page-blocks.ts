import { lineText } from "./line-text.ts";
import { inReadingOrder } from "./reading-order.ts";
import type { Frame, PageRuns } from "./runs.ts";
import { onOneLine, type Segment, type Unit, unitsOf } from "./segments.ts";
import { type Grid, gridAt, type Row } from "./tables.ts";

/** A line of text, in reading order. */
export interface Line {
  readonly kind: "line";
  readonly text: string;
  readonly size: number;
  /** Height on the page: 1 is its top, 0 its bottom; null for text that is turned against the page's. */
  readonly height: number | null;
  /** Of its base line, in units of the page. */
  readonly y: number;
  /** It ends where its column ends, so that its paragraph may go on. */
  readonly full: boolean;
  /** A new paragraph begins with it. */
  readonly opens: boolean;
}

export interface Table {
  readonly kind: "table";
  readonly rows: readonly (readonly string[])[];
}

export type Block = Line | Table;

/** Lines further apart than this many usual distances part paragraphs. */
const PARAGRAPH = 1.35;
/** Where too few lines tell the usual distance, it is this many heights of the font. */
const USUAL_DISTANCE = 1.35;

/** What a page draws → lines and tables in reading order. Text that is turned comes after the rest. */
export function pageBlocks({ frames }: PageRuns): Block[] {
  return frames.flatMap((frame, index) => frameBlocks(frame, index === 0));
}

function frameBlocks(frame: Frame, main: boolean): Block[] {
  const columns = inReadingOrder(unitsOf(frame.runs));
  const span = Math.max(frame.top - frame.bottom, 1);
  const heightOf = (y: number): number | null => (main ? (y - frame.bottom) / span : null);
  const blocks: Block[] = [];
  for (const column of columns) columnBlocks(rowsOf(column), heightOf, blocks);
  return blocks;
}

function rowsOf(units: readonly Unit[]): Row[] {
  const rows: { segments: Segment[]; y: number; size: number }[] = [];
  for (const unit of units) {
    const row = rows.at(-1);
    if (row !== undefined && onOneLine(row, unit)) {
      row.segments.push(...unit.segments);
      if (unit.size > row.size) {
        row.size = unit.size;
        row.y = unit.y;
      }
    } else {
      rows.push({ segments: [...unit.segments], y: unit.y, size: unit.size });
    }
  }
  for (const row of rows) row.segments.sort((a, b) => a.x0 - b.x0);
  return rows;
}

function columnBlocks(rows: readonly Row[], heightOf: (y: number) => number | null, out: Block[]): void {
  const plain: Row[] = [];
  const endPlain = (): void => {
    linesOf(plain, heightOf, out);
    plain.length = 0;
  };
  let at = 0;
  while (at < rows.length) {
    const row = rows[at];
    if (row === undefined) break;
    const grid = row.segments.length > 1 ? gridAt(rows, at) : null;
    if (grid === null) {
      plain.push(row);
      at++;
      continue;
    }
    endPlain();
    if (grid.kind === "table")
      out.push({ kind: "table", rows: tableRows(grid, rows.slice(at, at + grid.length)) });
    else linesAcross(grid, rows.slice(at, at + grid.length), heightOf, out);
    at += grid.length;
  }
  endPlain();
}

/** Text in columns that was drawn across them: column by column. */
function linesAcross(
  grid: Grid,
  rows: readonly Row[],
  heightOf: (y: number) => number | null,
  out: Block[],
): void {
  const width = grid.cells[0]?.length ?? 0;
  for (let column = 0; column < width; column++) {
    const lines = rows.flatMap((row, index) => {
      const segments = grid.cells[index]?.[column] ?? [];
      return segments.length === 0 ? [] : [{ ...row, segments }];
    });
    linesOf(lines, heightOf, out);
  }
}

function tableRows(grid: Grid, rows: readonly Row[]): string[][] {
  const table: string[][] = [];
  for (const [index, cells] of grid.cells.entries()) {
    const texts = cells.map((segments) =>
      segments.map((segment) => lineText(segment.runs, segment)).join(" "),
    );
    const above = table.at(-1);
    if (above !== undefined && goesOn(texts, rows, index)) {
      for (const [column, text] of texts.entries())
        if (text !== "") above[column] = `${above[column] ?? ""} ${text}`.trim();
    } else {
      table.push(texts);
    }
  }
  return table;
}

/** A row without its first cell, close under another one, is the rest of that one. */
function goesOn(texts: readonly string[], rows: readonly Row[], index: number): boolean {
  const [row, above] = [rows[index], rows[index - 1]];
  if (row === undefined || above === undefined || texts[0] !== "") return false;
  return above.y - row.y <= 1.35 * row.size && texts.filter((text) => text !== "").length <= texts.length / 2;
}

function linesOf(rows: readonly Row[], heightOf: (y: number) => number | null, out: Block[]): void {
  const usual = usualDistance(rows);
  const end = Math.max(...rows.map((row) => row.segments.at(-1)?.x1 ?? 0));
  let above: Row | null = null;
  for (const row of rows) {
    const text = lineText(
      row.segments.flatMap((segment) => segment.runs),
      row,
    );
    if (text === "") continue;
    const size = Math.round(row.size * 10) / 10;
    const opens =
      above === null
        ? !goesOnFrom(out.at(-1), size)
        : above.y - row.y > PARAGRAPH * Math.max(usual, 1.05 * row.size) || !alike(row.size, above.size);
    const full = (row.segments.at(-1)?.x1 ?? 0) >= end - 1.6 * row.size;
    out.push({ kind: "line", text, size, height: heightOf(row.y), y: row.y, full, opens });
    above = row;
  }
}

/** A paragraph goes on in the next column where its last line is full and ends no sentence. */
function goesOnFrom(last: Block | undefined, size: number): boolean {
  return (
    last?.kind === "line" &&
    last.full &&
    alike(last.size, size) &&
    !/[.!?:;。！？：；]["”’»)]*$/u.test(last.text)
  );
}

function alike(size: number, other: number): boolean {
  return size <= 1.1 * other && other <= 1.1 * size;
}

/** The median distance of lines of one size. */
function usualDistance(rows: readonly Row[]): number {
  const distances: number[] = [];
  for (const [index, row] of rows.entries()) {
    const above = rows[index - 1];
    if (above === undefined || Math.abs(above.size - row.size) > 0.5) continue;
    if (above.y - row.y < 3 * row.size) distances.push(above.y - row.y);
  }
  distances.sort((a, b) => a - b);
  const median = distances[Math.floor(distances.length / 2)];
  return distances.length < 3 || median === undefined ? USUAL_DISTANCE * (rows[0]?.size ?? 10) : median;
}
