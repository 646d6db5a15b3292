import type { Item } from "../../../rpc/contract/items.ts";
import { KnowdError } from "../../runtime/errors.ts";
import type { ItemStore } from "./contract.ts";
import type { CatalogCore } from "./core.ts";
import { createItems } from "./item-create.ts";
import { beginDelete, deletingItems, removeItems } from "./item-delete.ts";
import * as find from "./item-find.ts";
import { listItems } from "./item-list.ts";
import { idsByTime, matchingIds } from "./item-matching.ts";
import { moveItem } from "./item-move.ts";
import { completeItems, failItem, setMissing, setRefreshError } from "./item-revision.ts";
import { itemOf, itemsOf } from "./item-row.ts";
import { idleWithoutJob, recoverInFlight, setStatus } from "./item-status.ts";
import { treeOf } from "./item-tree.ts";

/** Each writing call is one transaction, in which containers and counts follow. */
export function openItemStore(core: CatalogCore): ItemStore {
  const { transaction } = core;
  return {
    create: (input) => transaction(() => createItems(core, [input])[0] as Item),
    createMany: (inputs) => transaction(() => createItems(core, inputs)),
    get: (id) => itemOf(core, id),
    require(id) {
      const item = itemOf(core, id);
      if (!item) throw new KnowdError("ITEM_NOT_FOUND", { itemId: id });
      return item;
    },
    many: (ids) => new Map(itemsOf(core, ids).map((item) => [item.id, item])),
    list: (query) => listItems(core, query),
    tree: (baseId, limit) => treeOf(core, baseId, limit),
    byConceptId: (baseId, conceptId) => find.itemByConceptId(core, baseId, conceptId),
    byPath: (path) => find.itemsByPath(core, path),
    bySourceKey: (baseId, type, sourceKey) => find.itemBySourceKey(core, baseId, type, sourceKey),
    sourceKeyOf: (id) => find.sourceKeyOf(core, id),
    visible: (baseId, ids) => find.visibleItems(core, baseId, ids),
    visiblePlaces: (baseId, ids) => find.visiblePlaces(core, baseId, ids),
    matching: (baseId, filter, signal) => matchingIds(core, baseId, filter, signal),
    places: (ids) => find.placesOf(core, ids),
    byTime: (baseId, among, options) => idsByTime(core, baseId, among, options),
    childrenAfter: (id, after, limit) => find.childrenAfter(core, id, after, limit),
    leavesOfBase: (baseId, options) => find.leavesOfBase(core, baseId, options?.staleOnly === true),
    childless: (ids) => find.childlessOf(core, ids),
    countFailed: (sourceIds) => find.countFailed(core, sourceIds),
    // After a power loss what was in flight is idle again in any case: no need to wait for the disk.
    setStatus: (ids, status) => transaction(() => setStatus(core, ids, status), { lazy: true }),
    complete: (id, revision) => transaction(() => completeItems(core, [{ id, revision }])[0] === true),
    completeMany: (entries) => transaction(() => void completeItems(core, entries)),
    fail: (id, reason, patch = {}) => transaction(() => failItem(core, id, reason, patch)),
    setRefreshError: (id, reason) => transaction(() => setRefreshError(core, id, reason)),
    setMissing: (ids, since) => transaction(() => setMissing(core, ids, since)),
    move: (id, to) => transaction(() => moveItem(core, id, to)),
    beginDelete: (ids) => transaction(() => beginDelete(core, ids)),
    remove: (ids) => transaction(() => removeItems(core, ids)),
    deleting: (baseId, limit, except) => deletingItems(core, baseId, limit, except),
    recoverInFlight: () => transaction(() => recoverInFlight(core)),
    idleWithoutJob: () => idleWithoutJob(core),
  };
}
