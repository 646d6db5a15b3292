import type { Item, ItemType } from "../../../rpc/contract/items.ts";
import { twinKey } from "../relative-path.ts";
import type { CatalogCore } from "./core.ts";
import type { ItemPlace, VisibleItem } from "./item-filter.ts";
import { ITEM_COLUMNS, toItem, type ItemRow } from "./item-row.ts";

/** The item of exactly this concept id, unless it is deleting. */
export function itemByConceptId(core: CatalogCore, baseId: string, conceptId: string): Item | undefined {
  const row = core
    .sql(
      `SELECT ${ITEM_COLUMNS} FROM name JOIN item ON item.id = name.item_id
       WHERE name.base_id = ? AND name.key = ? AND item.concept_id = ? AND item.status <> 'deleting'`,
    )
    .get(baseId, twinKey(conceptId), conceptId) as ItemRow | undefined;
  return row && toItem(row);
}

/** In every base: a folder may be watched for several. */
export function itemsByPath(core: CatalogCore, path: string): Item[] {
  const rows = core
    .sql(`SELECT ${ITEM_COLUMNS} FROM item WHERE path = ? AND status <> 'deleting' ORDER BY id`)
    .all(path) as ItemRow[];
  return rows.map(toItem);
}

/** K5.4: types never conflict with one another; of several (strategy `rename`) the oldest. */
export function itemBySourceKey(
  core: CatalogCore,
  baseId: string,
  type: ItemType,
  sourceKey: string,
): Item | undefined {
  const row = core
    .sql(
      `SELECT ${ITEM_COLUMNS} FROM item
       WHERE source_key = ? AND +base_id = ? AND type = ? AND status <> 'deleting' ORDER BY id LIMIT 1`,
    )
    .get(sourceKey, baseId, type) as ItemRow | undefined;
  return row && toItem(row);
}

export function sourceKeyOf(core: CatalogCore, id: string): string | null {
  const key = core.sql("SELECT source_key FROM item WHERE id = ?").pluck().get(id);
  return (key as string | null | undefined) ?? null;
}

/** What answers tell of a document; whole items take three times as long to read. */
export function visibleItems(
  core: CatalogCore,
  baseId: string,
  ids: readonly string[],
): Map<string, VisibleItem> {
  const columns = `concept_id AS conceptId, item.path, iif(item.type = 'url', source_key, NULL) AS url, title,
    changed_at AS changedAt`;
  return visibleRows(core, columns, baseId, ids);
}

/** Where those of these items stand that may be shown. */
export function visiblePlaces(
  core: CatalogCore,
  baseId: string,
  ids: readonly string[],
): Map<string, ItemPlace> {
  return visibleRows(core, "concept_id AS conceptId, item.path, format", baseId, ids);
}

/** K1.2: an index row grants nothing; what may be shown is completed, of this base, and where it was at the last look. */
function visibleRows<Row extends { readonly id: string }>(
  core: CatalogCore,
  columns: string,
  baseId: string,
  ids: readonly string[],
): Map<string, Row> {
  const rows = core
    .sql(
      `SELECT item.id, ${columns} FROM json_each(?) AS wanted CROSS JOIN item ON item.id = wanted.value
       WHERE base_id = ? AND status = 'completed' AND missing_since IS NULL`,
    )
    .all(JSON.stringify(ids), baseId) as Row[];
  return new Map(rows.map((row) => [row.id, row]));
}

/** Where documents stand, and what they are; without those that are gone. */
export function placesOf(core: CatalogCore, ids: readonly string[]): ItemPlace[] {
  return core
    .sql(
      `SELECT item.id, concept_id AS conceptId, item.path, format FROM json_each(?) AS wanted CROSS JOIN item ON item.id = wanted.value`,
    )
    .all(JSON.stringify(ids)) as ItemPlace[];
}

/** A page of a directory's children in the order of their concept ids, without deleting ones. */
export function childrenAfter(
  core: CatalogCore,
  id: string,
  after: string,
  limit: number,
): { id: string; isDirectory: boolean; conceptId: string }[] {
  const rows = core
    .sql(
      `SELECT id, type = 'directory' AS isDirectory, concept_id AS conceptId FROM item
       WHERE group_id = ? AND concept_id > ? AND status <> 'deleting' ORDER BY concept_id LIMIT ?`,
    )
    .all(id, after, limit) as { id: string; isDirectory: 0 | 1; conceptId: string }[];
  return rows.map((row) => ({ ...row, isDirectory: row.isDirectory === 1 }));
}

/** Every leaf, missing ones too, without deleting ones; `staleOnly`: those made under other chunk settings (K3.3). */
export function leavesOfBase(core: CatalogCore, baseId: string, staleOnly: boolean): string[] {
  const stale = `AND status = 'completed' AND fingerprint <> (SELECT fingerprint FROM base WHERE base.id = item.base_id)`;
  return core
    .sql(
      `SELECT id FROM item WHERE base_id = ? AND type <> 'directory' AND status <> 'deleting' ${staleOnly ? stale : ""}
       ORDER BY created_at DESC, id`,
    )
    .pluck()
    .all(baseId) as string[];
}

/** Of these directories, those without any child, a deleting one included. */
export function childlessOf(core: CatalogCore, ids: readonly string[]): string[] {
  const isChildless = core
    .sql(
      `SELECT EXISTS (SELECT 1 FROM item WHERE id = :id AND type = 'directory')
        AND NOT EXISTS (SELECT 1 FROM item WHERE group_id = :id)`,
    )
    .pluck();
  return [...new Set(ids)].filter((id) => isChildless.get({ id }) === 1);
}

export function countFailed(core: CatalogCore, sourceIds: readonly string[]): number {
  return core
    .sql(
      `SELECT count(*) FROM item WHERE status = 'failed' AND source_id IN (SELECT value FROM json_each(?))`,
    )
    .pluck()
    .get(JSON.stringify(sourceIds)) as number;
}
