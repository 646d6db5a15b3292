import type { IngestDeps } from "./ingest/ingest-deps.ts";
import { queueIndex } from "./ingest/queue-index.ts";
import { PRIORITY } from "./queue/queue.ts";

export interface Recovery {
  /** Jobs that were in flight when the last daemon ended, and wait again. */
  readonly jobs: number;
  /** Items that were in flight. */
  readonly items: number;
  /** Of those, how many wait for a word because embedding them costs money. */
  readonly parked: number;
}

/** K4.6: after a crash nothing stays in flight, nothing is lost, and nothing is paid for without a word. */
export function recover(deps: IngestDeps): Recovery {
  const { catalog } = deps;
  return catalog.transaction(() => {
    const jobs = catalog.jobs.recover(deps.now());
    const ids = catalog.items.recoverInFlight();
    const items = [...catalog.items.many(ids).values()];
    const paid = items.filter((item) => resumesOnlyOnWord(deps, item.baseId));
    queueIndex(deps, items, PRIORITY.bulk);
    park(
      deps,
      paid.map((item) => item.id),
    );
    return { jobs, items: ids.length, parked: paid.length };
  });
}

function resumesOnlyOnWord(deps: IngestDeps, baseId: string): boolean {
  const modelId = deps.catalog.bases.get(baseId)?.embeddingModelId;
  return modelId != null && deps.models.get(modelId)?.resumes === "ask";
}

function park(deps: IngestDeps, itemIds: readonly string[]): void {
  if (itemIds.length === 0) return;
  const wanted = new Set(itemIds);
  const jobIds: number[] = [];
  let cursor: string | undefined;
  do {
    const page = deps.catalog.jobs.list({
      state: "queued",
      limit: 100,
      ...(cursor !== undefined && { cursor }),
    });
    for (const job of page.items) if (job.kind === "index" && wanted.has(job.itemId)) jobIds.push(job.id);
    cursor = page.cursor;
  } while (cursor !== undefined);
  deps.catalog.jobs.park(jobIds, "indexing_interrupted");
  for (const id of itemIds) {
    deps.catalog.items.fail(
      id,
      "indexing_interrupted: embedding it costs money; knowd job retry goes on with it",
    );
  }
}
