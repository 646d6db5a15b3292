import type { Params } from "../../rpc/contract/index.ts";
import type { Item } from "../../rpc/contract/items.ts";
import { withoutForeign } from "../ingest/foreign-paths.ts";
import { importItems } from "../ingest/import-items.ts";
import type { CaptureDeps } from "../ingest/import-urls.ts";
import type { IngestDeps } from "../ingest/ingest-deps.ts";
import { itemsBelow } from "../ingest/items-below.ts";
import { reindexVerified } from "../ingest/queue-index.ts";
import { removeItems } from "../ingest/remove-items.ts";
import { PRIORITY } from "../queue/queue.ts";
import { KnowdError } from "../runtime/errors.ts";
import type { Scope } from "../runtime/scope.ts";
import { createSlicer } from "../runtime/yielding.ts";
import type { Sources } from "../sources.ts";
import type { Services } from "./call.ts";

type ItemMethod =
  | "item.add"
  | "item.list"
  | "item.get"
  | "item.find"
  | "item.tree"
  | "item.reindex"
  | "item.delete";

const SLICE_MS = 8;

export interface ItemServiceDeps {
  readonly ingest: IngestDeps;
  readonly sources: Sources;
  readonly capture: CaptureDeps;
}

export function createItemService({ ingest, sources, capture }: ItemServiceDeps): Services<ItemMethod> {
  const { catalog } = ingest;

  return {
    "item.add": async (params, call) => {
      catalog.bases.require(params.baseId);
      const { mayAdd, refused } = await withoutForeign(ingest, params.paths, call.scope);
      const { failed, ...done } = await importItems(capture, { ...params, paths: mayAdd }, call.signal);
      return { ...done, failed: [...refused, ...failed] };
    },
    "item.list": (params) => {
      catalog.bases.require(params.baseId);
      const { groupId, type, status, ...rest } = params;
      return catalog.items.list({
        ...rest,
        ...(groupId !== undefined && { groupId }),
        ...(type && { type }),
        ...(status && { status }),
      });
    },
    "item.get": ({ itemId }) => {
      const item = catalog.items.require(itemId);
      if (item.status === "deleting") throw new KnowdError("ITEM_NOT_FOUND", { itemId });
      return { item };
    },
    "item.find": (target, { scope }) => ({ items: itemsOf(catalog, target, scope) }),
    "item.tree": ({ baseId, limit }) => {
      catalog.bases.require(baseId);
      return catalog.items.tree(baseId, limit);
    },
    "item.reindex": async ({ itemIds }, { scope }) => {
      const { found, notFound } = split(catalog, itemIds, scope);
      const leaves = new Set<string>();
      const slicer = createSlicer(SLICE_MS);
      const wanted = found.map((item) => item.id);
      for (const step of itemsBelow(catalog.items, wanted)) {
        for (const item of step) if (!item.isDirectory) leaves.add(item.id);
        await slicer.pause();
      }
      return { ...(await reindexVerified(ingest, [...leaves], PRIORITY.interactive)), notFound };
    },
    "item.delete": async ({ itemIds }, { scope }) => {
      const { found, notFound } = split(catalog, itemIds, scope);
      let deleted = await removeSourcesOf({ ingest, sources }, found);
      await leaveOutOfSources({ ingest, sources }, found);
      deleted += await removeItems(
        ingest,
        found.map((item) => item.id).filter((id) => catalog.items.get(id)?.status !== "deleting"),
      );
      return { deleted, notFound };
    },
  };
}

/** Each id once: what there is of it, as far as it may be told of, and what is not to be found. */
function split(
  { items }: IngestDeps["catalog"],
  ids: readonly string[],
  scope: Scope,
): { found: Item[]; notFound: string[] } {
  const unique = [...new Set(ids)];
  const known = items.many(unique);
  const found = unique.flatMap((id) => {
    const item = known.get(id);
    return item && item.status !== "deleting" && scope.has(item.baseId) ? [item] : [];
  });
  const present = new Set(found.map((item) => item.id));
  return { found, notFound: unique.filter((id) => !present.has(id)) };
}

/** What stands at a path that a person or a client names, missing items too. */
function itemsOf({ items }: IngestDeps["catalog"], target: Params<"item.find">, scope: Scope): Item[] {
  const { itemId, baseId, conceptId, path } = target;
  const isWanted = (item: Item): boolean =>
    scope.has(item.baseId) && (baseId === undefined || item.baseId === baseId);
  if (itemId !== undefined)
    return [...items.many([itemId]).values()].filter((item) => item.status !== "deleting" && isWanted(item));
  if (path !== undefined) return items.byPath(path).filter(isWanted);
  if (baseId === undefined || conceptId === undefined) {
    throw new KnowdError("INVALID_FIELD", {
      field: "path",
      reason: "name the item by itemId, by baseId and conceptId, or by path",
    });
  }
  const item = items.byConceptId(baseId, conceptId);
  return item ? [item] : [];
}

/** A source can't go on without the item of its root: it goes with it. Answers how many items that takes along. */
async function removeSourcesOf(
  { ingest, sources }: Omit<ItemServiceDeps, "capture">,
  items: readonly Item[],
): Promise<number> {
  const ids = new Set(items.map((item) => item.id));
  let removed = 0;
  for (const source of ingest.catalog.sources.all()) {
    if (ids.has(source.itemId)) removed += await sources.remove(source.id);
  }
  return removed;
}

/** A watched file whose item is deleted would come back with the next scan: its source leaves it out from now on. */
async function leaveOutOfSources(
  { ingest, sources }: Omit<ItemServiceDeps, "capture">,
  items: readonly Item[],
): Promise<void> {
  const bySource = new Map<string, Item[]>();
  for (const item of items) {
    if (item.sourceId === null || item.path === null) continue;
    bySource.set(item.sourceId, [...(bySource.get(item.sourceId) ?? []), item]);
  }
  for (const [sourceId, ofSource] of bySource) {
    if (!ingest.catalog.sources.get(sourceId)) continue;
    const entries = ofSource.map(({ path, type }) => ({ path: path ?? "", isFolder: type === "directory" }));
    await sources.leaveOut(sourceId, entries);
  }
}
