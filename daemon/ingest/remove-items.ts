import type { Item } from "../../rpc/contract/items.ts";
import { PRIORITY } from "../queue/queue.ts";
import { createSlicer } from "../runtime/yielding.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import { itemsBelow } from "./items-below.ts";

type RemoveDeps = Pick<IngestDeps, "catalog" | "queue" | "now">;

const SLICE_MS = 8;

/**
 * Begins the delete of items and all below them: hidden step by step, their queued work cancelled, the purge queued durably
 * with the first step. What stands in a folder goes before it, so that a crash in between leaves a smaller tree and nothing
 * broken. Answers how many items are on their way out.
 */
export async function removeItems(deps: RemoveDeps, ids: readonly string[]): Promise<number> {
  const slicer = createSlicer(SLICE_MS);
  const doomed = new Set<string>();
  const begin = (slice: readonly string[]): void => {
    for (const item of markDoomed(deps, slice)) doomed.add(item.id);
  };
  for (const step of itemsBelow(deps.catalog.items, ids)) {
    begin(step.map((item) => item.id));
    await slicer.yield();
  }
  // Deleting ones too, and what came into a folder while it was looked through.
  begin(ids);
  return doomed.size;
}

/**
 * Queues the purge of a base's deleting items. Its job hangs on one of them and goes with that one's row: who takes rows out
 * queues it again in the same transaction, so that it is there while anything is left to purge (K8.8). False when nothing is.
 */
export function queuePurge(deps: RemoveDeps, baseId: string, runAfter: number): boolean {
  const [some] = deps.catalog.items.deleting(baseId, 1);
  if (!some) return false;
  const { id: itemId, sourceId } = some;
  deps.queue.enqueue([{ kind: "delete", baseId, itemId, sourceId, priority: PRIORITY.delete, runAfter }]);
  return true;
}

/** The same for a few items whose number is known to be small, in one transaction. */
export function beginDelete(deps: RemoveDeps, ids: readonly string[]): number {
  return markDoomed(deps, ids).length;
}

function markDoomed(deps: RemoveDeps, ids: readonly string[]): readonly Item[] {
  const { catalog, queue } = deps;
  return catalog.transaction(() => {
    const doomed = catalog.items.beginDelete(ids);
    if (doomed.length === 0) return doomed;
    catalog.jobs.cancelOfItems(doomed.map((item) => item.id));
    const onePerBase = new Map(doomed.map((item) => [item.baseId, item]));
    queue.enqueue(
      [...onePerBase.values()].map((item) => ({
        kind: "delete" as const,
        baseId: item.baseId,
        itemId: item.id,
        sourceId: item.sourceId,
        priority: PRIORITY.delete,
        runAfter: deps.now(),
      })),
    );
    return doomed;
  });
}
