import type { Item, ItemStatus, ItemType } from "../../../rpc/contract/items.ts";
import type { Page, PageRequest } from "./contract.ts";
import type { CatalogCore } from "./core.ts";
import { ageCursor, ageKeyOf, pageOf, rowsToAsk } from "./cursor.ts";
import { ITEM_COLUMNS, toItem, type ItemRow } from "./item-row.ts";

const LIST = "items";

export interface ItemQuery extends PageRequest {
  readonly baseId: string;
  /** Children of this directory; null for root items; left out for all. */
  readonly groupId?: string | null | undefined;
  readonly type?: ItemType | undefined;
  readonly status?: ItemStatus | undefined;
  /** Those with warnings alone. */
  readonly warned?: boolean | undefined;
}

/** K4.4: newest first, then by id; deleting items are in no list (K4.1). */
export function listItems(core: CatalogCore, query: ItemQuery): Page<Item> {
  const { createdAt, id } = ageKeyOf(LIST, query);
  const { where, values } = conditions(query);
  const rows = core
    .sql(
      `SELECT ${ITEM_COLUMNS} FROM item
       WHERE ${where.join(" AND ")} AND created_at <= :createdAt AND (created_at < :createdAt OR id > :id)
       ORDER BY created_at DESC, id LIMIT :limit`,
    )
    .all({ ...values, createdAt, id, limit: rowsToAsk(query) }) as ItemRow[];
  return pageOf(rows, query, toItem, (last) => ageCursor(LIST, last));
}

function conditions(query: ItemQuery): { where: string[]; values: Record<string, string> } {
  const where = ["base_id = :baseId", "status <> 'deleting'"];
  const values: Record<string, string> = { baseId: query.baseId };
  if (query.groupId === null) where.push("group_id IS NULL");
  else if (query.groupId !== undefined) {
    // The plus keeps the index of the base out: the one of the directory is the narrower.
    where[0] = "+base_id = :baseId";
    where.push("group_id = :groupId");
    values["groupId"] = query.groupId;
  }
  if (query.type !== undefined) {
    where.push("type = :type");
    values["type"] = query.type;
  }
  if (query.status === "failed") {
    // Written out: only then does the index of failed items serve it.
    where.push("status = 'failed'");
  } else if (query.status !== undefined) {
    where.push("status = :status");
    values["status"] = query.status;
  }
  // As the index of warned items has it.
  if (query.warned === true) where.push("status = 'completed'", "warnings <> '[]'");
  return { where, values };
}
