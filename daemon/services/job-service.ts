import type { IngestDeps } from "../ingest/ingest-deps.ts";
import { queueIndex } from "../ingest/queue-index.ts";
import { KnowdError } from "../runtime/errors.ts";
import { PRIORITY } from "../queue/queue.ts";
import type { Services } from "./call.ts";

type JobMethod = "job.list" | "job.cancel" | "job.retry";

export function createJobService(ingest: IngestDeps): Services<JobMethod> {
  const { catalog, queue } = ingest;

  const retryOne = (jobId: number): number => {
    const job = catalog.jobs.get(jobId);
    if (!job) throw new KnowdError("JOB_NOT_FOUND", { jobId });
    const item = catalog.items.get(job.itemId);
    if (!item || job.kind !== "index") return 0;
    return catalog.transaction(() => {
      queue.finish([jobId]);
      return queueIndex(ingest, [item], PRIORITY.interactive);
    });
  };

  return {
    "job.list": ({ baseId, state, ...page }) =>
      catalog.jobs.list({
        ...page,
        ...(baseId !== undefined && { baseId }),
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
    "job.retry": ({ jobId }) => {
      if (jobId !== undefined) return { queued: retryOne(jobId) };
      const queued = catalog.transaction(() => {
        const held = [...heldItems(ingest, "failed"), ...heldItems(ingest, "parked")];
        const failed = [...catalog.items.many(held).values()].filter((item) => item.status === "failed");
        catalog.items.setStatus(
          failed.map((item) => item.id),
          "idle",
        );
        return catalog.jobs.retryAll("failed") + catalog.jobs.retryAll("parked");
      });
      queue.wake();
      return { queued };
    },
  };
}

/** The items of all jobs that wait for a person. */
function heldItems({ catalog }: IngestDeps, state: "failed" | "parked"): string[] {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = catalog.jobs.list({ state, limit: 100, cursor });
    ids.push(...page.items.map((job) => job.itemId));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return ids;
}
