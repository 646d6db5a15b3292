import type { Item } from "../../../rpc/contract/items.ts";
import { wrongCall, type CatalogCore } from "./core.ts";
import { followChildren } from "./item-containers.ts";
import { releaseName } from "./item-names.ts";
import { announceItem, ITEM_COLUMNS, itemsOf, toItem, type ItemRow } from "./item-row.ts";

/**
 * Marks these items and all below them deleting, which hides them everywhere (K4.1). Answers what it marked and, so that
 * a delete may be repeated (K8.8), the named ones that were deleting before; what was deleting below them has its purge
 * queued, and a folder of many files, marked slice by slice, would hold the loop if its end read them all once more. The
 * change log has the named ones; those below follow one by one as they go. Must run in a transaction.
 */
export function beginDelete(core: CatalogCore, ids: readonly string[]): Item[] {
  const now = core.now();
  const before = itemsToMark(core, ids);
  core.sql(MARK).run(now, JSON.stringify(before.map((item) => item.id)));
  const named = new Set(ids);
  const doomed = before.map((item): Item => {
    if (item.status === "deleting") return item;
    const deleting: Item = { ...item, status: "deleting", error: null, stale: false, updatedAt: now };
    if (named.has(item.id)) announceItem(core, deleting, "updated");
    return deleting;
  });
  followChildren(
    core,
    doomed.filter((item) => named.has(item.id)).map((item) => item.groupId),
  );
  return leafFirst(doomed);
}

const MARK = `UPDATE item SET status = 'deleting', error = NULL, updated_at = ?
WHERE id IN (SELECT value FROM json_each(?)) AND status <> 'deleting'`;

/** The named ones and what is not deleting below them. All that stands in a deleting directory is deleting too. */
function itemsToMark(core: CatalogCore, ids: readonly string[]): Item[] {
  const rows = core
    .sql(
      `WITH RECURSIVE below(id) AS (
         SELECT value FROM json_each(?)
         UNION SELECT child.id FROM item AS child JOIN below ON child.group_id = below.id
         WHERE child.status <> 'deleting'
       )
       SELECT ${ITEM_COLUMNS} FROM below JOIN item ON item.id = below.id`,
    )
    .all(JSON.stringify(ids)) as ItemRow[];
  return rows.map(toItem);
}

/**
 * Items of a base that wait to be purged, leaves first, then directories that nothing stands in any more. Those of
 * `except` are passed over, and so is what they stand in.
 */
export function deletingItems(
  core: CatalogCore,
  baseId: string,
  limit: number,
  except: readonly string[] = [],
): Item[] {
  const passed = JSON.stringify(except);
  const leaves = core.sql(DELETING_LEAVES).all(baseId, passed, limit) as ItemRow[];
  const rows =
    leaves.length > 0 ? leaves : (core.sql(DELETING_FOLDERS).all(baseId, passed, limit) as ItemRow[]);
  return rows.map(toItem);
}

const DELETING_LEAVES = `
SELECT ${ITEM_COLUMNS} FROM item INDEXED BY item_deleting
WHERE status = 'deleting' AND base_id = ? AND type IN ('file', 'note', 'url') AND id NOT IN (SELECT value FROM json_each(?))
LIMIT ?`;
const DELETING_FOLDERS = `
SELECT ${ITEM_COLUMNS} FROM item INDEXED BY item_deleting
WHERE status = 'deleting' AND base_id = ? AND type = 'directory' AND id NOT IN (SELECT value FROM json_each(?))
  AND NOT EXISTS (SELECT 1 FROM item AS child WHERE child.group_id = item.id)
LIMIT ?`;

/**
 * Takes the rows out, with their names, ledger rows and jobs. Unknown ids are passed over: it may be a repetition (K8.8).
 * Must run in a transaction.
 */
export function removeItems(core: CatalogCore, ids: readonly string[]): void {
  const gone = leafFirst(itemsOf(core, ids));
  const alive = gone.find((item) => item.status !== "deleting");
  if (alive) throw wrongCall(`the item ${alive.id} is ${alive.status}, not deleting`);
  const remove = core.sql("DELETE FROM item WHERE id = ?");
  for (const item of gone) {
    remove.run(item.id);
    releaseName(core, item);
    announceItem(core, item, "deleted");
  }
  followChildren(core, new Set(gone.map((item) => item.groupId)));
}

/** No item before one that stands in it; an item whose directory is not among them counts as a root. */
function leafFirst(items: readonly Item[]): Item[] {
  const byId = new Map(items.map((item) => [item.id, item]));
  const depths = new Map<string, number>();
  const depthOf = (item: Item): number => {
    const known = depths.get(item.id);
    if (known !== undefined) return known;
    const parent = item.groupId === null ? undefined : byId.get(item.groupId);
    const depth = parent ? depthOf(parent) + 1 : 0;
    depths.set(item.id, depth);
    return depth;
  };
  return items
    .map((item) => ({ item, depth: depthOf(item) }))
    .sort((one, other) => other.depth - one.depth)
    .map(({ item }) => item);
}
