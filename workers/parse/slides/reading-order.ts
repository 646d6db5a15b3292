/** Where a shape stands; any unit, y grows downwards. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** More shapes than this on one slide keep the order of the file. */
const MAX_SHAPES = 400;
/** Share of its extent by which a shape may reach into its neighbour and still stand beside it. */
const TOLERANCE = 0.12;

interface Placed<T> {
  readonly item: T;
  readonly box: Box;
  readonly order: number;
}

/**
 * Shapes in the order in which a person reads them: gaps that run through all of them part rows or columns, and these are
 * parted again. Where both are possible, as in a grid, the one nearer to the order of the file is taken; where neither is,
 * the order of the file stays. A shape without a place follows the one before it.
 */
export function readingOrder<T>(items: readonly T[], boxOf: (item: T) => Box | null): T[] {
  if (items.length < 2 || items.length > MAX_SHAPES) return [...items];
  const leaders: Placed<T>[] = [];
  const followers = new Map<T, T[]>();
  const homeless: T[] = [];
  for (const [order, item] of items.entries()) {
    const box = boxOf(item);
    const leader = leaders.at(-1)?.item;
    if (box !== null) leaders.push({ item, box, order });
    else if (leader === undefined) homeless.push(item);
    else followers.set(leader, [...(followers.get(leader) ?? []), item]);
  }
  return [...homeless, ...part(leaders).flatMap(({ item }) => [item, ...(followers.get(item) ?? [])])];
}

/** Each step makes at least two smaller groups, so that it ends after as many steps as there are shapes. */
function part<T>(placed: readonly Placed<T>[]): readonly Placed<T>[] {
  if (placed.length < 2) return placed;
  const rows = split(placed, ({ y, height }) => [y, height]);
  const columns = split(placed, ({ x, width }) => [x, width]);
  const best =
    rows.length > 1 && (columns.length < 2 || inversions(rows) <= inversions(columns)) ? rows : columns;
  return best.length < 2 ? placed : best.flatMap(part);
}

/** Groups between which a straight line runs through, in the order of the axis; members keep the order of the file. */
function split<T>(
  placed: readonly Placed<T>[],
  extent: (box: Box) => readonly [from: number, length: number],
): Placed<T>[][] {
  const spans = placed
    .map((member) => {
      const [from, length] = extent(member.box);
      const margin = length * TOLERANCE;
      return { member, from: from + margin, to: from + length - margin };
    })
    .sort((a, b) => a.from - b.from || a.member.order - b.member.order);
  const groups: Placed<T>[][] = [];
  let reach = -Infinity;
  for (const { member, from, to } of spans) {
    if (from >= reach) groups.push([]);
    groups.at(-1)?.push(member);
    reach = Math.max(reach, to);
  }
  for (const group of groups) group.sort((a, b) => a.order - b.order);
  return groups;
}

/** How many pairs come the other way round than in the file. */
function inversions<T>(groups: readonly (readonly Placed<T>[])[]): number {
  const orders = groups.flat().map(({ order }) => order);
  let count = 0;
  for (let later = 1; later < orders.length; later++) {
    for (let earlier = 0; earlier < later; earlier++) {
      if ((orders[earlier] ?? 0) > (orders[later] ?? 0)) count++;
    }
  }
  return count;
}
