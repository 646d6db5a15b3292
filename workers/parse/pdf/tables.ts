import type { Segment } from "./segments.ts";

/** A line across a column: its segments from left to right. */
export interface Row {
  readonly segments: readonly Segment[];
  readonly y: number;
  readonly size: number;
}

/** A grid of segments, or text in columns that is drawn line by line across them. */
export interface Grid {
  readonly kind: "table" | "columns";
  /** How many rows it takes. */
  readonly length: number;
  /** For each of them, its segments by column. */
  readonly cells: readonly (readonly Segment[])[][];
}

const MAX_ROWS = 2000;
/** Rows further apart (in heights of the font) are of different tables. */
const MAX_DISTANCE = 3.5;
/** A column of longer cells is text; a table may have one. */
const LONG_CELL = 32;
/** Beside a column of long cells, one of these is a column too; longer ones are the rest of torn lines. */
const SHORT_CELL = 14;
/** What parts a long cell from the next, in heights of the font: more than words of a line that is set wide. */
const LONG_CELL_GAP = 1.5;
/** Lines of text in narrow columns have at least this many characters. */
const TEXT_LINE = 20;
const BINS = 500;
const listMark = /^(?:[•●▪■◦○‣⁃∙·*–-]|\(?[\dA-Za-z]{1,3}[.)]|\[\d+\])$/u;

/** The grid that begins at a row, if one does. */
export function gridAt(rows: readonly Row[], from: number): Grid | null {
  const end = endOfGrid(rows, from);
  if (end - from < 2) return null;
  const block = rows.slice(from, end);
  const columns = columnsOf(block);
  if (columns.length < 2) return null;
  const cells = block.map((row) => {
    const byColumn: Segment[][] = columns.map(() => []);
    for (const segment of row.segments) byColumn[columnOf(segment, columns)]?.push(segment);
    return byColumn;
  });
  const kind = kindOf(cells, block);
  return kind === null ? null : { kind, length: block.length, cells };
}

function endOfGrid(rows: readonly Row[], from: number): number {
  let end = from;
  let last = from;
  for (; end < rows.length && end - from < MAX_ROWS; end++) {
    const row = rows[end];
    const above = rows[end - 1];
    if (row === undefined) break;
    if (end > from && above !== undefined && above.y - row.y > MAX_DISTANCE * Math.max(row.size, above.size))
      break;
    if (row.segments.length > 1) last = end + 1;
    else if (end === from || !continues(rows, end)) break;
  }
  return last;
}

/** A line with one segment, no wider than one cell above it, goes on with that cell. */
function continues(rows: readonly Row[], at: number): boolean {
  const segment = rows[at]?.segments[0];
  const above = rows[at - 1];
  if (segment === undefined || above === undefined) return false;
  if (above.y - segment.y > 1.6 * segment.size) return false;
  return above.segments.filter((cell) => cell.x0 < segment.x1 && segment.x0 < cell.x1).length === 1;
}

/** Where the rows have text above one another, with a gap between that hardly a row bridges. */
function columnsOf(rows: readonly Row[]): [number, number][] {
  const all = rows.flatMap((row) => row.segments);
  const start = Math.min(...all.map((segment) => segment.x0));
  const scale = BINS / Math.max(Math.max(...all.map((segment) => segment.x1)) - start, 1);
  const covered = new Int32Array(BINS + 2);
  for (const { x0, x1 } of all) {
    const from = Math.floor((x0 - start) * scale);
    covered[from] = (covered[from] ?? 0) + 1;
    const to = Math.min(BINS, Math.floor((x1 - start) * scale)) + 1;
    covered[to] = (covered[to] ?? 0) - 1;
  }
  const bridges = Math.floor(rows.length * 0.12);
  const columns: [number, number][] = [];
  let count = 0;
  let open: number | null = null;
  for (let bin = 0; bin <= BINS + 1; bin++) {
    count += covered[bin] ?? 0;
    if (count > bridges && open === null) open = bin;
    if (count <= bridges && open !== null) {
      columns.push([start + open / scale, start + bin / scale]);
      open = null;
    }
  }
  return columns;
}

/** The column that a segment begins in, or else the one whose edge is nearest. */
function columnOf(segment: Segment, columns: readonly (readonly [number, number])[]): number {
  let low = 0;
  let high = columns.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((columns[middle]?.[0] ?? 0) <= segment.x0) low = middle;
    else high = middle - 1;
  }
  const end = columns[low]?.[1] ?? 0;
  const next = columns[low + 1]?.[0] ?? Infinity;
  return segment.x0 - end > next - segment.x0 ? low + 1 : low;
}

function kindOf(cells: readonly (readonly Segment[])[][], rows: readonly Row[]): Grid["kind"] | null {
  const width = cells[0]?.length ?? 0;
  const filled = cells.flat().filter((cell) => cell.length > 0).length;
  if (filled < 0.5 * width * cells.length) return null;
  const lengths = Array.from({ length: width }, (_, column) => averageLength(cells, column));
  if (width <= 3 && cells.length >= 6 && lengths.every((length) => length >= TEXT_LINE) && alike(lengths))
    return "columns";
  if (cells.length < (width > 2 ? 2 : 3)) return null;
  const long = lengths.filter((length) => length > LONG_CELL).length;
  if (long > 1 || (long === 1 && medianGap(rows) < LONG_CELL_GAP)) return null;
  if (long === 1 && width === 2 && Math.min(...lengths) > SHORT_CELL) return null;
  if (width === 2 && isList(cells)) return null;
  const doubled = cells.flat().filter((cell) => cell.length > 1).length;
  return doubled > 0.2 * filled ? null : "table";
}

/** Between neighbours in a row, in heights of the font. */
function medianGap(rows: readonly Row[]): number {
  const gaps = rows.flatMap(({ segments, size }) =>
    segments.slice(1).map((segment, at) => (segment.x0 - (segments[at]?.x1 ?? 0)) / size),
  );
  return gaps.sort((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0;
}

function averageLength(cells: readonly (readonly Segment[])[][], column: number): number {
  const texts = cells.map((row) => row[column] ?? []).filter((cell) => cell.length > 0);
  let sum = 0;
  for (const cell of texts) for (const segment of cell) sum += segment.chars;
  return texts.length === 0 ? 0 : sum / texts.length;
}

function alike(lengths: readonly number[]): boolean {
  return Math.max(...lengths) <= 1.6 * Math.min(...lengths);
}

/** Marks of a list and what they mark. */
function isList(cells: readonly (readonly Segment[])[][]): boolean {
  const first = cells.flatMap((row) => row[0] ?? []);
  const marks = first.filter((segment) =>
    listMark.test(
      segment.runs
        .map((run) => run.text)
        .join("")
        .trim(),
    ),
  );
  return marks.length >= 0.6 * first.length;
}
