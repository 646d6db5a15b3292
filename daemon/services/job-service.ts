import type { IngestDeps } from "../ingest/ingest-deps.ts";
import { queueIndex } from "../ingest/queue-index.ts";
import { KnowdError } from "../runtime/errors.ts";
import { createSlicer } from "../runtime/yielding.ts";
import { PRIORITY } from "../queue/queue.ts";
import type { Services } from "./call.ts";

type JobMethod = "job.list" | "job.cancel" | "job.retry";

const JOBS_PER_TRANSACTION = 64;
const SLICE_MS = 8;

export function createJobService(ingest: IngestDeps): Services<JobMethod> {
  const { catalog, queue } = ingest;

  const retryOne = (jobId: number): number => {
    const job = catalog.jobs.get(jobId);
    if (!job) throw new KnowdError("JOB_NOT_FOUND", { jobId });
    const item = catalog.items.get(job.itemId);
    if (!item || job.kind === "delete") return 0;
    return catalog.transaction(() => {
      // Work of a processor too: the file is read first, and goes on to it.
      queue.finish([jobId]);
      return queueIndex(ingest, [item], PRIORITY.interactive);
    });
  };

  return {
    "job.list": ({ baseId, state, ...page }, { scope }) =>
      catalog.jobs.list({
        ...page,
        baseIds: baseId === undefined ? scope.baseIds : [baseId],
        ...(state !== undefined && { state }),
      }),
    "job.cancel": ({ jobId }) => {
      const job = catalog.jobs.get(jobId);
      if (!job) throw new KnowdError("JOB_NOT_FOUND", { jobId });
      const item = catalog.items.get(job.itemId);
      catalog.transaction(() => {
        catalog.jobs.cancel(jobId);
        if (item && item.contentHash === null)
          catalog.items.fail(item.id, "cancelled by a person; reindex it to try again");
      });
      return {};
    },
    "job.retry": async ({ jobId }, { scope: { baseIds } }) => {
      if (jobId !== undefined) return { queued: retryOne(jobId) };
      const failed = await retryHeld(ingest, { state: "failed", baseIds });
      return { queued: failed + (await retryHeld(ingest, { state: "parked", baseIds })) };
    },
  };
}

/** All jobs that wait for a person, a page at a time: a whole base may be parked. Answers how many. */
async function retryHeld(
  { catalog, queue, now }: IngestDeps,
  held: { readonly state: "failed" | "parked"; readonly baseIds: readonly string[] | null },
): Promise<number> {
  const slicer = createSlicer(SLICE_MS);
  let queued = 0;
  let cursor: string | undefined;
  do {
    const page = catalog.jobs.list({ ...held, limit: JOBS_PER_TRANSACTION, cursor });
    catalog.transaction(() => {
      const items = catalog.items.many(page.items.map((job) => job.itemId));
      const failed = [...items.values()].filter((item) => item.status === "failed");
      catalog.items.setStatus(
        failed.map((item) => item.id),
        "idle",
      );
      for (const job of page.items) catalog.jobs.retry(job.id, now(), null);
    });
    queue.wake();
    queued += page.items.length;
    cursor = page.cursor;
    await slicer.yield();
  } while (cursor !== undefined);
  return queued;
}
