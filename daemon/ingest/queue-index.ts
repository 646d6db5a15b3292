import type { Item } from "../../rpc/contract/items.ts";
import type { IngestDeps } from "./ingest-deps.ts";

type QueueDeps = Pick<IngestDeps, "catalog" | "queue" | "now">;

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
export function reindexVerified(
  deps: QueueDeps,
  ids: readonly string[],
  priority: number,
): { queued: number; refused: number } {
  const { items, sources } = deps.catalog;
  const away = new Set(
    sources.all().flatMap(({ id, state }) => (state === "unavailable" || state === "removing" ? [id] : [])),
  );
  const found = [...items.many(ids).values()];
  const readable = found.filter(
    ({ sourceId, missingSince }) => missingSince === null && (sourceId === null || !away.has(sourceId)),
  );
  const queued = queueReindex(
    deps,
    readable.map((item) => item.id),
    priority,
  );
  return { queued, refused: found.length - readable.length };
}

/** Queues items to be read even though their bytes did not change: what is known of the bytes is forgotten first. */
export function queueReindex(deps: QueueDeps, ids: readonly string[], priority: number): number {
  return deps.catalog.transaction(() => {
    const items = [...deps.catalog.items.many(ids).values()].filter((item) => item.status !== "deleting");
    for (const item of items) {
      const row = deps.catalog.ledger.byItem(item.id);
      if (row) deps.catalog.ledger.put([{ ...row, byteHash: null, parser: null }]);
    }
    return queueIndex(deps, items, priority);
  });
}
