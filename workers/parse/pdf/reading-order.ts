import type { Unit } from "./segments.ts";

/** Columns inside columns inside columns. */
const MAX_DEPTH = 6;
/** Lines that must stand beside others before the space between them is a gutter. */
const MIN_PAIRS = 3;
/** A gutter is at least this wide, in heights of the font. */
const MIN_GUTTER = 0.2;
const BINS = 1000;
/** Neighbours on a line that are looked at for each unit. */
const WINDOW = 60;
/** A line whose font is this much larger than its region's is a heading above all columns when nothing is beside it. */
const LARGE = 1.15;

/** Units from top to bottom → columns and what runs across them, each a list from top to bottom, in reading order. */
export function inReadingOrder(units: readonly Unit[]): Unit[][] {
  const columns: Unit[][] = [];
  divide(
    [...units].sort((a, b) => b.y - a.y || a.x0 - b.x0),
    0,
    columns,
  );
  return columns;
}

interface Gutter {
  readonly x: number;
  readonly wide: ReadonlySet<Unit>;
}

function divide(units: Unit[], depth: number, out: Unit[][]): void {
  const gutter = depth < MAX_DEPTH ? findGutter(units) : null;
  if (gutter === null) {
    if (units.length > 0) out.push(units);
    return;
  }
  let flow: Unit[] = [];
  let band: Unit[] = [];
  const endBand = (): void => {
    const left = band.filter((unit) => isLeft(unit, gutter.x));
    const right = band.filter((unit) => !isLeft(unit, gutter.x));
    if (sideBySide(left, right)) {
      if (flow.length > 0) out.push(flow);
      flow = [];
      divide(left, depth + 1, out);
      divide(right, depth + 1, out);
    } else {
      flow.push(...band);
    }
    band = [];
  };
  for (const unit of units) {
    if (!gutter.wide.has(unit)) {
      band.push(unit);
      continue;
    }
    endBand();
    flow.push(unit);
  }
  endBand();
  if (flow.length > 0) out.push(flow);
}

function sideBySide(left: readonly Unit[], right: readonly Unit[]): boolean {
  const [leftTop, leftEnd] = [left[0], left.at(-1)];
  const [rightTop, rightEnd] = [right[0], right.at(-1)];
  if (!leftTop || !leftEnd || !rightTop || !rightEnd) return false;
  const slack = 0.5 * Math.min(leftTop.size, rightTop.size);
  return leftEnd.y <= rightTop.y + slack && rightEnd.y <= leftTop.y + slack;
}

/** Where most lines have another one beside them, with nothing drawn between. Null where there are no columns. */
function findGutter(units: readonly Unit[]): Gutter | null {
  if (units.length < 2 * MIN_PAIRS) return null;
  const start = Math.min(...units.map((unit) => unit.x0));
  const end = Math.max(...units.map((unit) => unit.x1));
  const scale = BINS / Math.max(end - start, 1);
  const votes = new Int32Array(BINS + 2);
  for (const [left, right] of neighbours(units)) {
    const from = Math.ceil((left.x1 - start) * scale);
    const to = Math.floor((right.x0 - start) * scale);
    if (to < from) continue;
    votes[from] = (votes[from] ?? 0) + 1;
    votes[to + 1] = (votes[to + 1] ?? 0) - 1;
  }
  const x = start + bestBin(votes) / scale;
  const wide = acrossGutter(units, x);
  const left = units.filter((unit) => !wide.has(unit) && isLeft(unit, x));
  const right = units.filter((unit) => !wide.has(unit) && !isLeft(unit, x));
  if (Math.min(left.length, right.length) < MIN_PAIRS) return null;
  const pairs = neighbours([...left, ...right].sort((a, b) => b.y - a.y || a.x0 - b.x0)).filter(
    ([one, other]) => isLeft(one, x) && !isLeft(other, x),
  );
  if (pairs.length < MIN_PAIRS || isTableOfNumbers(pairs, right)) return null;
  return { x, wide };
}

/** A line that is a little too long still is of its column. */
function isLeft(unit: Unit, x: number): boolean {
  return unit.x0 + unit.x1 <= 2 * x;
}

function bestBin(changes: Int32Array): number {
  let count = 0;
  let best = 0;
  let from = 0;
  let to = 0;
  for (let bin = 0; bin <= BINS; bin++) {
    count += changes[bin] ?? 0;
    if (count > best) {
      best = count;
      from = bin;
      to = bin;
    } else if (count === best && to === bin - 1) {
      to = bin;
    }
  }
  return (from + to) / 2;
}

/** Pairs of units with a gutter's width between them and no third one there. `units` come from top to bottom. */
function neighbours(units: readonly Unit[]): [Unit, Unit][] {
  const pairs: [Unit, Unit][] = [];
  for (const [index, unit] of units.entries()) {
    const reach = 0.75 * unit.size;
    let next: Unit | null = null;
    const look = (other: Unit | undefined): boolean => {
      if (other === undefined || Math.abs(other.y - unit.y) > reach) return false;
      if (other.x0 >= unit.x1 && (next === null || other.x0 < next.x0)) next = other;
      return true;
    };
    for (let at = index + 1; at <= index + WINDOW && look(units[at]); at++);
    for (let at = index - 1; at >= index - WINDOW && look(units[at]); at--);
    const found = next as Unit | null;
    if (found !== null && found.x0 - unit.x1 >= MIN_GUTTER * Math.min(unit.size, found.size))
      pairs.push([unit, found]);
  }
  return pairs;
}

/** What runs across all columns: what crosses the gutter, and large lines with nothing beside them. */
function acrossGutter(units: readonly Unit[], x: number): Set<Unit> {
  const sizes = units.map((unit) => unit.size).sort((a, b) => a - b);
  const usual = sizes[Math.floor(sizes.length / 2)] ?? 0;
  const wide = new Set<Unit>();
  for (const [index, unit] of units.entries()) {
    const crosses = x - unit.x0 > unit.size && unit.x1 - x > unit.size;
    if (crosses || (unit.size >= LARGE * usual && !hasBeside(units, index, x))) wide.add(unit);
  }
  return wide;
}

function hasBeside(units: readonly Unit[], index: number, x: number): boolean {
  const unit = units[index];
  if (unit === undefined) return false;
  const isBeside = (other: Unit): boolean => isLeft(unit, x) !== isLeft(other, x);
  for (let at = index - 1; at >= Math.max(0, index - WINDOW); at--) {
    const other = units[at];
    if (other === undefined || other.y - unit.y > 1.3 * unit.size) break;
    if (isBeside(other)) return true;
  }
  for (let at = index + 1; at <= index + WINDOW; at++) {
    const other = units[at];
    if (other === undefined || unit.y - other.y > 1.3 * other.size) break;
    if (isBeside(other)) return true;
  }
  return false;
}

/** Columns of numbers are read row by row, also when they are drawn one after another. */
function isTableOfNumbers(pairs: readonly (readonly [Unit, Unit])[], right: readonly Unit[]): boolean {
  const level = pairs.filter(([a, b]) => Math.abs(a.y - b.y) < 0.1 * a.size).length;
  if (level < 0.8 * right.length) return false;
  const numbers = right.filter((unit) =>
    unit.segments.every((segment) => segment.runs.every((run) => /^[\s\d.,%$€£()+−–-]+$/u.test(run.text))),
  );
  return numbers.length >= 0.6 * right.length;
}
