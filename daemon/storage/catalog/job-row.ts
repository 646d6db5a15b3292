import type { Job } from "../../../rpc/contract/jobs.ts";
import type { ClaimedJob } from "./contract.ts";
import type { CatalogCore } from "./core.ts";

/** A job as its row reads. */
export interface JobRow extends Omit<ClaimedJob, "suspect"> {
  readonly suspect: 0 | 1;
}

export const JOB_COLUMNS = `id, kind, state, base_id AS baseId, item_id AS itemId, source_id AS sourceId, priority,
  attempts, run_after AS runAfter, error, created_at AS createdAt, suspect, lonely_crashes AS lonelyCrashes`;

export function toClaimed(row: JobRow): ClaimedJob {
  return { ...row, suspect: row.suspect === 1 };
}

/** Without its crash history, which is the queue's own business. */
export function toJob(row: JobRow): Job {
  const { id, kind, state, baseId, itemId, sourceId, priority, attempts, runAfter, error, createdAt } = row;
  return { id, kind, state, baseId, itemId, sourceId, priority, attempts, runAfter, error, createdAt };
}

export function jobRow(core: CatalogCore, id: number): JobRow | undefined {
  return core.sql(`SELECT ${JOB_COLUMNS} FROM job WHERE id = ?`).get(id) as JobRow | undefined;
}

/** Work that waits for a person's attention, and that it does so no more: the rest is too much to follow. */
export function announceJob(
  core: CatalogCore,
  job: Pick<JobRow, "id" | "baseId">,
  state: "failed" | "parked" | "queued" | null,
): void {
  core.changes.append({
    entity: "job",
    action: state === null ? "deleted" : "updated",
    id: job.id,
    baseId: job.baseId,
    status: state,
  });
}
