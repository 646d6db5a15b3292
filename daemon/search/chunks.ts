import type { Params, Result } from "../../rpc/contract/index.ts";
import { KnowdError } from "../runtime/errors.ts";
import { askHost, createBudget } from "./host-call.ts";
import { notReadable, readable } from "./read.ts";
import type { SearchDeps } from "./search-deps.ts";

/** An item's chunks in their order, a page at a time. Throws ITEM_NOT_FOUND, ITEM_NOT_READABLE, CURSOR_INVALID. */
export async function listChunks(
  { catalog, registry, host, settings }: SearchDeps,
  { itemId, limit, cursor }: Params<"item.chunks">,
  signal: AbortSignal,
): Promise<Result<"item.chunks">> {
  const item = readable(catalog, catalog.items.require(itemId));
  const answer = await askHost(
    host,
    "index.chunks",
    {
      baseId: item.baseId,
      indexPath: registry.indexPath(item.baseId),
      materialId: itemId,
      afterIndex: parseCursor(cursor),
      // One more than is shown tells whether there are more.
      limit: limit + 1,
    },
    createBudget(settings.deadlineMs, signal),
  );
  if (!answer) throw notReadable(item);
  const items = answer.chunks.slice(0, limit).map((chunk) => ({ ...chunk, headings: [...chunk.headings] }));
  const last = items.at(-1);
  return answer.chunks.length > limit && last ? { items, cursor: `chunk-${last.unitIndex}` } : { items };
}

function parseCursor(cursor: string | undefined): number {
  if (cursor === undefined) return -1;
  const index = /^chunk-(\d{1,9})$/.exec(cursor)?.[1];
  if (index === undefined) throw new KnowdError("CURSOR_INVALID", { cursor });
  return Number(index);
}
