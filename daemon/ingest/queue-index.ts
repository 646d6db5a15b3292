import type { Item } from "../../rpc/contract/items.ts";
import type { Source } from "../../rpc/contract/sources.ts";
import { createSlicer } from "../runtime/yielding.ts";
import type { IngestDeps } from "./ingest-deps.ts";

type QueueDeps = Pick<IngestDeps, "catalog" | "queue" | "now">;

const ITEMS_PER_TRANSACTION = 64;
const SLICE_MS = 8;

/** Queues items to be read when they are due; failed ones wait again. One transaction. Answers how many jobs are new. */
export function queueIndex(
  deps: QueueDeps,
  items: readonly Item[],
  priority: number,
  runAfter = deps.now(),
): number {
  return deps.catalog.transaction(() => {
    const failed = items.filter((item) => item.status === "failed").map((item) => item.id);
    if (failed.length > 0) deps.catalog.items.setStatus(failed, "idle");
    return deps.queue.enqueue(
      items.map((item) => ({
        kind: "index" as const,
        baseId: item.baseId,
        itemId: item.id,
        sourceId: item.sourceId,
        priority,
        runAfter,
      })),
    );
  });
}

/**
 * K11.3: reindexes what can be read, and refuses what is missing or whose source can't be vouched for right now: reading
 * it again could prove nothing. What a person asks for goes this way.
 */
export async function reindexVerified(
  deps: QueueDeps,
  ids: readonly string[],
  priority: number,
): Promise<{ queued: number; refused: number }> {
  const { items, sources } = deps.catalog;
  const total = { queued: 0, refused: 0 };
  await inSlices(deps, ids, (slice) => {
    const found = [...items.many(slice).values()];
    const away = new Set(sources.all().flatMap((source) => (isAway(source) ? [source.id] : [])));
    const readable = found.filter(
      ({ sourceId, missingSince }) => missingSince === null && (sourceId === null || !away.has(sourceId)),
    );
    total.queued += queueAnew(deps, readable, priority);
    total.refused += found.length - readable.length;
  });
  return total;
}

/** Queues items to be read even though their bytes did not change: what is known of the bytes is forgotten first. */
export async function queueReindex(
  deps: QueueDeps,
  ids: readonly string[],
  priority: number,
): Promise<number> {
  let queued = 0;
  await inSlices(deps, ids, (slice) => {
    queued += queueAnew(deps, [...deps.catalog.items.many(slice).values()], priority);
  });
  return queued;
}

/** Queues items to be looked at: those whose bytes are the indexed ones are left as they are. */
export async function queueLook(deps: QueueDeps, ids: readonly string[], priority: number): Promise<void> {
  await inSlices(deps, ids, (slice) => {
    const items = [...deps.catalog.items.many(slice).values()];
    queueIndex(
      deps,
      items.filter((item) => item.status !== "deleting"),
      priority,
    );
  });
}

function queueAnew(deps: QueueDeps, items: readonly Item[], priority: number): number {
  const wanted = items.filter((item) => item.status !== "deleting");
  forgetBytes(deps, wanted);
  return queueIndex(deps, wanted, priority);
}

/** Their next reading finds something to do though the bytes are the same. */
export function forgetBytes({ catalog }: Pick<IngestDeps, "catalog">, items: readonly Item[]): void {
  for (const { id } of items) {
    const row = catalog.ledger.byItem(id);
    if (row) catalog.ledger.put([{ ...row, byteHash: null, parser: null }]);
  }
}

function isAway({ state }: Source): boolean {
  return state === "unavailable" || state === "removing";
}

/** A transaction for each slice: a base of 10,000 files must not hold the loop. */
async function inSlices(
  deps: QueueDeps,
  ids: readonly string[],
  apply: (slice: readonly string[]) => void,
): Promise<void> {
  const slicer = createSlicer(SLICE_MS);
  for (let at = 0; at < ids.length; at += ITEMS_PER_TRANSACTION) {
    deps.catalog.transaction(() => apply(ids.slice(at, at + ITEMS_PER_TRANSACTION)));
    await slicer.yield();
  }
}
