import type { Run } from "./runs.ts";

/** Runs of one line that stand close together: a line of a column, or a table's cell. */
export interface Segment {
  readonly runs: Run[];
  readonly x0: number;
  x1: number;
  /** Of its largest run. */
  y: number;
  size: number;
  /** Order of its first and last run. */
  first: number;
  last: number;
  chars: number;
}

/** Segments beside one another that the page draws one after another. */
export interface Unit {
  readonly segments: Segment[];
  readonly x0: number;
  x1: number;
  readonly y: number;
  readonly size: number;
}

interface Row {
  readonly runs: Run[];
  y: number;
  size: number;
}

/** A wider gap in a line (in heights of its font) parts segments. */
const SEGMENT_GAP = 0.8;
/** Where the page draws something else in between it hardly is one line of words, even when it overlaps a little. */
const STRANGER_GAP = -0.5;
/** Base lines of one line are no further apart than this share of the font's height. */
const SAME_LINE = 0.45;
/** Runs smaller than this share of the line's font may be indexes and exponents. */
const SMALL = 0.85;
/** Runs of a row that a new one is compared with. */
const NEIGHBOURS = 24;
/** Rows that are open at once while runs come from top to bottom. */
const OPEN_ROWS = 12;

/** A page's runs → its units, from top to bottom. */
export function unitsOf(runs: readonly Run[]): Unit[] {
  return rowsOf(runs).flatMap((row) => linkSegments(segmentsOf(row)));
}

/** Two runs stand on one line when their base lines are close; small ones may be raised or lowered. */
export function onOneLine(a: Placed, b: Placed): boolean {
  const large = Math.max(a.size, b.size);
  const small = Math.min(a.size, b.size);
  const reach = small > SMALL * large ? SAME_LINE * large : Math.min(0.55 * large, 0.75 * small);
  return Math.abs(a.y - b.y) <= reach;
}

interface Placed {
  readonly y: number;
  readonly size: number;
}

function rowsOf(runs: readonly Run[]): Row[] {
  const rows: Row[] = [];
  for (const run of [...runs].sort((a, b) => b.y - a.y || a.x - b.x)) {
    const row = openRow(rows, run);
    if (row === undefined) {
      rows.push({ runs: [run], y: run.y, size: run.size });
      continue;
    }
    row.runs.push(run);
    if (run.size > row.size) {
      row.y = run.y;
      row.size = run.size;
    }
  }
  return rows;
}

function openRow(rows: readonly Row[], run: Run): Row | undefined {
  let best: Row | undefined;
  let least = Infinity;
  for (let at = rows.length - 1; at >= Math.max(0, rows.length - OPEN_ROWS); at--) {
    const row = rows[at];
    const distance = row === undefined ? null : distanceTo(row, run);
    if (distance === null || distance >= least) continue;
    best = row;
    least = distance;
  }
  return best;
}

/** How far above a run the row stands where it is nearest to it; null when that is too far for one line. */
function distanceTo(row: Row, run: Run): number | null {
  let near = false;
  let distance = Math.abs(row.y - run.y);
  for (let at = row.runs.length - 1; at >= Math.max(0, row.runs.length - NEIGHBOURS); at--) {
    const other = row.runs[at];
    if (other === undefined) break;
    const gap = Math.max(other.x - run.x - run.width, run.x - other.x - other.width);
    if (gap > 2 * Math.max(run.size, other.size)) continue;
    if (!onOneLine(other, run)) return null;
    distance = near ? Math.min(distance, Math.abs(other.y - run.y)) : Math.abs(other.y - run.y);
    near = true;
  }
  return near || onOneLine(row, run) ? distance : null;
}

function segmentsOf(row: Row): Segment[] {
  const segments: Segment[] = [];
  let current: Segment | undefined;
  for (const run of withoutShadows(row.runs.sort((a, b) => a.x - b.x))) {
    const strange = current !== undefined && !areNeighbours(current, run.order, run.order);
    const gap = (strange ? STRANGER_GAP : SEGMENT_GAP) * Math.max(run.size, current?.size ?? 0);
    if (current === undefined || run.x - current.x1 > gap) {
      const { x, y, size, order } = run;
      current = { runs: [], x0: x, x1: x, y, size, first: order, last: order, chars: 0 };
      segments.push(current);
    }
    current.runs.push(run);
    current.x1 = Math.max(current.x1, run.x + run.width);
    current.first = Math.min(current.first, run.order);
    current.last = Math.max(current.last, run.order);
    current.chars += run.text.length;
    if (run.size > current.size) {
      current.size = run.size;
      current.y = run.y;
    }
  }
  return segments;
}

/** Whether runs from `first` to `last` were drawn right before or after a segment. */
function areNeighbours(segment: Segment, first: number, last: number): boolean {
  return first === segment.last + 1 || segment.first === last + 1;
}

/** Bold type and shadows are made by drawing a text twice, hardly moved. */
function withoutShadows(runs: readonly Run[]): Run[] {
  const kept: Run[] = [];
  for (const run of runs) {
    const shadow = kept
      .slice(-3)
      .some(
        (other) =>
          other.text === run.text &&
          Math.abs(other.x - run.x) < 0.25 * run.size &&
          Math.abs(other.y - run.y) < 0.25 * run.size &&
          (run.text.length > 1 || Math.abs(other.x - run.x) < 0.6 * run.width),
      );
    if (!shadow) kept.push(run);
  }
  return kept;
}

function linkSegments(segments: readonly Segment[]): Unit[] {
  const units: Unit[] = [];
  let current: Unit | undefined;
  let last: Segment | undefined;
  for (const segment of segments) {
    const linked = last !== undefined && areNeighbours(last, segment.first, segment.last);
    if (current === undefined || !linked) {
      const { x0, x1, y, size } = segment;
      current = { segments: [segment], x0, x1, y, size };
      units.push(current);
    } else {
      current.segments.push(segment);
      current.x1 = Math.max(current.x1, segment.x1);
    }
    last = segment;
  }
  return units;
}
