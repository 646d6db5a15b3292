import { foldTag } from "../../../workers/words/tag.ts";
import { createSlicer, type Slicer } from "../../runtime/yielding.ts";
import type { CatalogCore } from "./core.ts";
import type { ItemFilter } from "./item-filter.ts";
import { childrenAfter } from "./item-find.ts";

/** What other work waits for at most. */
const SLICE_MS = 5;
/** Rows read between two looks at the clock: a tenth of a millisecond from the index, one by their ids. */
const PAGE_ROWS = 500;

/** As the partial index item_visible has it. */
const VISIBLE_LEAF = "item.status = 'completed' AND item.missing_since IS NULL AND item.type <> 'directory'";
const FORMATS = `
  WITH RECURSIVE found(format) AS (
    SELECT min(format) FROM item WHERE base_id = :baseId AND ${VISIBLE_LEAF}
    UNION ALL SELECT (SELECT min(item.format) FROM item
      WHERE base_id = :baseId AND item.format > found.format AND ${VISIBLE_LEAF}) FROM found WHERE found.format IS NOT NULL
  ) SELECT format FROM found WHERE format IS NOT NULL UNION ALL SELECT NULL`;
const OF_FORMAT = `
  SELECT id, changed_at FROM item
  WHERE base_id = ? AND ${VISIBLE_LEAF} AND format IS ? AND (changed_at, id) > (?, ?) AND changed_at < ?
  ORDER BY changed_at, id LIMIT ${PAGE_ROWS}`;
const OF_IDS = `
  SELECT item.id, changed_at, format FROM json_each(?) AS wanted CROSS JOIN item ON item.id = wanted.value
  WHERE base_id = ? AND ${VISIBLE_LEAF} AND changed_at >= ? AND changed_at < ?`;
const TAGGED = `
  SELECT tag, item_id AS id FROM item_tag WHERE (tag, item_id) > (?, ?) AND tag < ? ORDER BY tag, item_id LIMIT ${PAGE_ROWS}`;

interface Timed {
  readonly id: string;
  readonly changedAt: number;
}

/** Arrays take half the time of objects. */
type Row = readonly [id: string, changedAt: number, format?: string | null];

interface Search {
  readonly core: CatalogCore;
  readonly baseId: string;
  readonly signal: AbortSignal;
  readonly slicer: Slicer;
}

/**
 * Ids of the visible leaves that pass, in no order; null when the filter narrows nothing. Other work gets its turn: what is
 * changed meanwhile may be answered as it was or as it is.
 */
export async function matchingIds(
  core: CatalogCore,
  baseId: string,
  filter: ItemFilter,
  signal: AbortSignal,
): Promise<string[] | null> {
  const { formats, notFormats = [], itemIds, after = 0, before = Number.MAX_SAFE_INTEGER } = filter;
  const { tags = [], notTags = [] } = filter;
  const narrowing = [formats, filter.notFormats, itemIds, filter.after, filter.before, tags[0], notTags[0]];
  if (narrowing.every((part) => part === undefined)) return null;
  const search: Search = { core, baseId, signal, slicer: createSlicer(SLICE_MS) };
  const among: ReadonlySet<string>[] = itemIds ? [await below(search, itemIds)] : [];
  for (const tag of tags) among.push(await tagged(search, foldTag(tag)));
  const outside: ReadonlySet<string>[] = [];
  for (const tag of notTags) outside.push(await tagged(search, foldTag(tag)));
  const found: string[] = [];
  const isFree = among.length === 0 && outside.length === 0;
  const take = (rows: readonly Row[]): void => {
    for (const [id] of rows)
      if (isFree || (among.every((ids) => ids.has(id)) && !outside.some((ids) => ids.has(id))))
        found.push(id);
  };
  const seq = core.changes.lastSeq();
  const isWanted = (format: string | null): boolean =>
    format === null
      ? formats === undefined
      : (formats?.includes(format) ?? true) && !notFormats.includes(format);
  const [fewest] = among.toSorted((a, b) => a.size - b.size);
  if (fewest)
    for await (const rows of rowsOf(search, [...fewest], { after, before }))
      take(rows.filter(([, , format = null]) => isWanted(format)));
  else {
    const all = core.sql(FORMATS).pluck().all({ baseId }) as (string | null)[];
    for (const format of all.filter(isWanted))
      for await (const rows of rowsOfFormat(search, format, { after, before })) take(rows);
  }
  // What was changed meanwhile may have been met again at its new time.
  return core.changes.lastSeq() === seq ? found : [...new Set(found)];
}

/** Of these visible leaves, or of all of the base, those that were changed last or first; of one time by id. */
export async function idsByTime(
  core: CatalogCore,
  baseId: string,
  among: readonly string[] | null,
  { order, limit, signal }: { order: "newest" | "oldest"; limit: number; signal: AbortSignal },
): Promise<Timed[]> {
  const ids = among ?? (await matchingIds(core, baseId, { after: 0 }, signal)) ?? [];
  const sign = order === "newest" ? -1 : 1;
  const compare = (a: Timed, b: Timed): number =>
    sign * (a.changedAt - b.changedAt) || (a.id < b.id ? -1 : Number(a.id > b.id));
  let best: Timed[] = [];
  const search: Search = { core, baseId, signal, slicer: createSlicer(SLICE_MS) };
  for await (const rows of rowsOf(search, ids, { after: 0, before: Number.MAX_SAFE_INTEGER })) {
    best.push(...rows.map(([id, changedAt]) => ({ id, changedAt })));
    if (best.length > 2 * limit) best = best.sort(compare).slice(0, limit);
  }
  return best.sort(compare).slice(0, limit);
}

async function turn({ signal, slicer }: Search): Promise<void> {
  await slicer.pause();
  signal.throwIfAborted();
}

async function* rowsOfFormat(
  search: Search,
  format: string | null,
  { after, before }: { after: number; before: number },
): AsyncGenerator<Row[]> {
  const page = search.core.sql(OF_FORMAT).raw();
  for (let last: Row | undefined = ["", after]; last;) {
    const [id, changedAt]: Row = last;
    const rows = page.all(search.baseId, format, changedAt, id, before) as Row[];
    yield rows;
    last = rows.length < PAGE_ROWS ? undefined : rows.at(-1);
    await turn(search);
  }
}

async function* rowsOf(
  search: Search,
  ids: readonly string[],
  { after, before }: { after: number; before: number },
): AsyncGenerator<Row[]> {
  const page = search.core.sql(OF_IDS).raw();
  for (let at = 0; at < ids.length; at += PAGE_ROWS) {
    const wanted = JSON.stringify(ids.slice(at, at + PAGE_ROWS));
    yield page.all(wanted, search.baseId, after, before) as Row[];
    await turn(search);
  }
}

/** These items and all that lies in them. */
async function below(search: Search, itemIds: readonly string[]): Promise<Set<string>> {
  const found = new Set(itemIds);
  const folders = [...found];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (let last: string | undefined = ""; last !== undefined;) {
      const children = childrenAfter(search.core, folder, last, PAGE_ROWS);
      for (const { id, isDirectory } of children) {
        if (isDirectory && !found.has(id)) folders.push(id);
        found.add(id);
      }
      last = children.length < PAGE_ROWS ? undefined : children.at(-1)?.conceptId;
      await turn(search);
    }
  }
  return found;
}

/** Items with the folded tag, or one below it: `project` finds `project/x`. Of all bases. */
async function tagged(search: Search, tag: string): Promise<Set<string>> {
  const found = new Set<string>();
  const page = search.core.sql(TAGGED);
  // Behind a tag comes itself with a NUL; "0" is the character behind "/".
  const ranges = [
    [tag, `${tag}\0`],
    [`${tag}/`, `${tag}0`],
  ] as const;
  for (const [first, end] of ranges) {
    for (let last: { tag: string; id: string } | undefined = { tag: first, id: "" }; last;) {
      const rows = page.all(last.tag, last.id, end) as { tag: string; id: string }[];
      for (const { id } of rows) found.add(id);
      last = rows.length < PAGE_ROWS ? undefined : rows.at(-1);
      await turn(search);
    }
  }
  return found;
}
