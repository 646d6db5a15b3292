import type { Item } from "../../../rpc/contract/items.ts";
import { KnowdError } from "../../runtime/errors.ts";
import { checkRelativePath } from "../relative-path.ts";
import type { NewItem } from "./contract.ts";
import { wrongCall, type CatalogCore } from "./core.ts";
import { followChildren } from "./item-containers.ts";
import { freeName, reserveName } from "./item-names.ts";
import { announceItem, stateOf, type ItemState } from "./item-row.ts";

/** Must run in a transaction. */
export function createItems(core: CatalogCore, inputs: readonly NewItem[]): Item[] {
  for (const baseId of new Set(inputs.map((input) => input.baseId))) requireBase(core, baseId);
  const parents = new Map<string, ItemState>();
  const created = inputs.map((input) => {
    if (input.groupId !== null && !parents.has(input.groupId))
      parents.set(input.groupId, parentFor(core, input.baseId, input.groupId));
    return insertItem(core, input);
  });
  followChildren(core, unsettled([...parents.values()], created));
  return created;
}

function requireBase(core: CatalogCore, baseId: string): void {
  const exists = core.sql("SELECT EXISTS (SELECT 1 FROM base WHERE id = ?)").pluck().get(baseId) === 1;
  if (!exists) throw new KnowdError("BASE_NOT_FOUND", { baseId });
}

/** K4: the parent is a directory of the same base that is not deleting. Throws ITEM_NOT_FOUND or ITEM_DELETING. */
export function parentFor(core: CatalogCore, baseId: string, groupId: string): ItemState {
  const parent = stateOf(core, groupId);
  if (!parent || parent.baseId !== baseId) throw new KnowdError("ITEM_NOT_FOUND", { itemId: groupId });
  if (parent.status === "deleting") throw new KnowdError("ITEM_DELETING", { itemId: groupId });
  if (parent.type !== "directory") throw wrongCall(`the parent ${groupId} is no directory`);
  return parent;
}

/** A parent that is `processing` already, for a child that was active before, stays so: no need to look. */
function unsettled(parents: readonly ItemState[], created: readonly Item[]): string[] {
  const withLeaf = new Set(
    created.flatMap((item) => (item.type === "directory" ? [] : (item.groupId ?? []))),
  );
  return parents
    .filter((parent) => parent.status !== "processing" || !withLeaf.has(parent.id))
    .map((parent) => parent.id);
}

function insertItem(core: CatalogCore, input: NewItem): Item {
  const now = core.now();
  const wanted = {
    ...input,
    conceptId: checkRelativePath(input.conceptId),
    markdown: input.processed === true,
  };
  const name = freeName(core, wanted);
  const item: Item = {
    id: core.newId(),
    baseId: input.baseId,
    groupId: input.groupId,
    sourceId: input.sourceId,
    type: input.type,
    // An empty directory is completed: nothing below it is still to come (K4.3).
    status: input.type === "directory" ? "completed" : "idle",
    error: null,
    failure: null,
    refreshError: null,
    title: input.title,
    conceptId: name.conceptId,
    path: input.path,
    url: input.type === "url" ? input.sourceKey : null,
    format: null,
    sizeBytes: null,
    contentHash: null,
    chunkCount: 0,
    warnings: [],
    stale: false,
    missingSince: null,
    changedAt: now,
    createdAt: now,
    updatedAt: now,
  };
  core
    .sql(
      `INSERT INTO item (id, base_id, group_id, source_id, type, status, title, concept_id, path, source_key,
         changed_at, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      item.id,
      item.baseId,
      item.groupId,
      item.sourceId,
      item.type,
      item.status,
      item.title,
      item.conceptId,
      item.path,
      input.sourceKey,
      now,
      now,
      now,
    );
  reserveName(core, item.baseId, item.id, name);
  announceItem(core, item, "created");
  return item;
}
