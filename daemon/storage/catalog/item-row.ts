import type { Item } from "../../../rpc/contract/items.ts";
import type { CatalogCore } from "./core.ts";

/** An item as its row reads. */
export interface ItemRow extends Omit<Item, "warnings" | "stale"> {
  readonly warnings: string;
  readonly stale: 0 | 1;
}

/** K3.3: a completed item is stale when the chunk settings it was made with are no longer its base's. */
export const ITEM_COLUMNS = `item.id, item.base_id AS baseId, item.group_id AS groupId, item.source_id AS sourceId,
  item.type, item.status, item.error,
  iif(item.status = 'failed', item.failure, NULL) AS failure, item.refresh_error AS refreshError, item.title, item.concept_id AS conceptId,
  item.path, iif(item.type = 'url', item.source_key, NULL) AS url, item.format, item.size_bytes AS sizeBytes, item.content_hash AS contentHash,
  item.chunk_count AS chunkCount, item.warnings,
  ifnull(item.status = 'completed' AND item.fingerprint <>
    (SELECT base.fingerprint FROM base WHERE base.id = item.base_id), 0) AS stale,
  item.missing_since AS missingSince, item.changed_at AS changedAt, item.created_at AS createdAt, item.updated_at AS updatedAt`;

export function toItem(row: ItemRow): Item {
  return {
    ...row,
    warnings: row.warnings === "[]" ? [] : (JSON.parse(row.warnings) as string[]),
    stale: row.stale === 1,
  };
}

export function itemOf(core: CatalogCore, id: string): Item | undefined {
  const row = core.sql(`SELECT ${ITEM_COLUMNS} FROM item WHERE item.id = ?`).get(id) as ItemRow | undefined;
  return row && toItem(row);
}

/** Those of these ids that exist, each once, in their order. */
export function itemsOf(core: CatalogCore, ids: readonly string[]): Item[] {
  return [...new Set(ids)].flatMap((id) => itemOf(core, id) ?? []);
}

/** What the state machine reads of an item. */
export type ItemState = Pick<
  Item,
  "id" | "baseId" | "groupId" | "type" | "status" | "error" | "failure" | "chunkCount"
>;

export function stateOf(core: CatalogCore, id: string): ItemState | undefined {
  return core
    .sql(
      `SELECT id, base_id AS baseId, group_id AS groupId, type, status, error,
         iif(status = 'failed', failure, NULL) AS failure, chunk_count AS chunkCount
       FROM item WHERE id = ?`,
    )
    .get(id) as ItemState | undefined;
}

export function announceItem(
  core: CatalogCore,
  item: Pick<Item, "id" | "baseId" | "status">,
  action: "created" | "updated" | "deleted",
): void {
  core.changes.append({ entity: "item", action, id: item.id, baseId: item.baseId, status: item.status });
}
