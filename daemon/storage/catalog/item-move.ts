import type { Item } from "../../../rpc/contract/items.ts";
import { KnowdError } from "../../runtime/errors.ts";
import { checkRelativePath } from "../relative-path.ts";
import { wrongCall, type CatalogCore } from "./core.ts";
import { followChildren } from "./item-containers.ts";
import { parentFor } from "./item-create.ts";
import { freeName, holdsMarkdownSlot, releaseName, reserveName } from "./item-names.ts";
import { announceItem, itemOf } from "./item-row.ts";

export interface MoveTarget {
  readonly path: string;
  readonly conceptId: string;
  readonly title: string;
  readonly groupId: string | null;
}

/**
 * K11.1: the same item at another place: id, revision and history stay, the names move (both slots, K5.1). It was seen
 * at its new place, so it is missing no longer. Throws ITEM_NOT_FOUND, ITEM_DELETING, PATH_INVALID. Must run in a
 * transaction.
 */
export function moveItem(core: CatalogCore, id: string, to: MoveTarget): Item {
  const item = itemOf(core, id);
  if (!item) throw new KnowdError("ITEM_NOT_FOUND", { itemId: id });
  if (item.status === "deleting") throw new KnowdError("ITEM_DELETING", { itemId: id });
  if (to.groupId !== null) {
    parentFor(core, item.baseId, to.groupId);
    refuseOwnSubtree(core, id, to.groupId);
  }
  const markdown = holdsMarkdownSlot(core, item);
  const conceptId = checkRelativePath(to.conceptId);
  const name = freeName(core, { baseId: item.baseId, type: item.type, conceptId, markdown }, id);
  releaseName(core, item);
  reserveName(core, item.baseId, id, name);
  core
    .sql(
      `UPDATE item SET source_key = iif(source_key IS path, :path, source_key), path = :path, concept_id = :conceptId,
         title = :title, group_id = :groupId, missing_since = NULL, updated_at = :now WHERE id = :id`,
    )
    .run({
      id,
      path: to.path,
      conceptId: name.conceptId,
      title: to.title,
      groupId: to.groupId,
      now: core.now(),
    });
  announceItem(core, item, "updated");
  followChildren(core, new Set([item.groupId, to.groupId]));
  return itemOf(core, id) as Item;
}

function refuseOwnSubtree(core: CatalogCore, id: string, groupId: string): void {
  const isBelow = core
    .sql(
      `WITH RECURSIVE above(id) AS (
         SELECT ? UNION SELECT item.group_id FROM item JOIN above ON item.id = above.id WHERE item.group_id IS NOT NULL
       )
       SELECT EXISTS (SELECT 1 FROM above WHERE id = ?)`,
    )
    .pluck()
    .get(groupId, id);
  if (isBelow === 1) throw wrongCall(`the directory ${id} can't stand in itself`);
}
