import { KnowdError } from "../../runtime/errors.ts";
import type { CatalogCore } from "./core.ts";
import { announceJob, jobRow, type JobRow } from "./job-row.ts";

/** A delete that failed is tried again after this long, doubled with each attempt. */
const DELETE_RETRY_MS = 1_000;
const DELETE_RETRY_MAX_MS = 60_000;
/** A job that was running when the daemon died, for the second time, runs alone from then on. */
const SUSPECT_FROM_ATTEMPTS = 2;

interface Requeue {
  readonly runAfter: number;
  readonly error: string | null;
  readonly attempts: number;
  readonly suspect?: 0 | 1;
  readonly lonelyCrashes?: number;
}

/**
 * Back into the queue. Was the item queued again meanwhile, the two become one: under this id, which a waiting
 * `source.sync` may know, due when the newer one is. Must run in a transaction.
 */
function requeue(core: CatalogCore, job: JobRow, to: Requeue): void {
  const newer = core
    .sql(
      `DELETE FROM job WHERE item_id = ? AND kind = ? AND turn = 0 AND id <> ?
       RETURNING priority, run_after AS runAfter`,
    )
    .get(job.itemId, job.kind, job.id) as Pick<JobRow, "priority" | "runAfter"> | undefined;
  // The file has changed: how often the one before was tried says nothing of it.
  const isNewWork = newer !== undefined && job.kind !== "delete";
  core
    .sql(
      `UPDATE job SET state = 'queued', priority = :priority, run_after = :runAfter, error = :error,
         attempts = :attempts, suspect = :suspect, lonely_crashes = :lonelyCrashes WHERE id = :id`,
    )
    .run({
      id: job.id,
      priority: Math.min(job.priority, newer?.priority ?? job.priority),
      runAfter: newer?.runAfter ?? to.runAfter,
      error: newer ? null : to.error,
      attempts: isNewWork ? 0 : to.attempts,
      suspect: to.suspect ?? job.suspect,
      lonelyCrashes: isNewWork ? 0 : (to.lonelyCrashes ?? job.lonelyCrashes),
    });
}

/** Held work (failed, parked) begins anew: its attempts are forgotten; a suspect goes on running alone. */
export function retryJob(
  core: CatalogCore,
  id: number,
  runAfter: number,
  error: string | null,
  attempt: "keep" | "undo",
): void {
  const job = jobRow(core, id);
  if (!job) return;
  const isHeld = job.state === "failed" || job.state === "parked";
  const attempts = isHeld ? 0 : Math.max(0, job.attempts - (attempt === "undo" ? 1 : 0));
  requeue(core, job, { runAfter, error, attempts, ...(isHeld && { lonelyCrashes: 0 }) });
  if (isHeld) announceJob(core, job, "queued");
}

/** Every failed or parked job, due at once. Answers how many. */
export function retryAllJobs(core: CatalogCore, state: "failed" | "parked"): number {
  const ids = core
    .sql(`SELECT id FROM job WHERE state = ? AND state IN ('parked', 'failed') ORDER BY id`)
    .pluck()
    .all(state) as number[];
  for (const id of ids) retryJob(core, id, core.now(), null, "keep");
  return ids.length;
}

export function suspectJob(
  core: CatalogCore,
  id: number,
  { lonely, error, runAfter }: { lonely: boolean; error: string; runAfter: number },
): void {
  const job = jobRow(core, id);
  if (!job) return;
  const lonelyCrashes = job.lonelyCrashes + (lonely ? 1 : 0);
  requeue(core, job, { runAfter, error, attempts: job.attempts, suspect: 1, lonelyCrashes });
}

/** Gives the job up, for a person to see. A delete is never given up: it is put off. */
export function holdJob(core: CatalogCore, id: number, state: "failed" | "parked", error: string): void {
  const job = jobRow(core, id);
  if (!job) return;
  if (job.kind === "delete") {
    const delayMs = Math.min(DELETE_RETRY_MAX_MS, DELETE_RETRY_MS * 2 ** Math.min(job.attempts, 16));
    requeue(core, job, { runAfter: core.now() + delayMs, error, attempts: job.attempts });
  } else if (state === "failed" && hasNewer(core, job)) {
    core.sql("DELETE FROM job WHERE id = ?").run(id);
  } else {
    core.sql("UPDATE job SET state = ?, error = ? WHERE id = ?").run(state, error, id);
    announceJob(core, job, state);
  }
}

/** The item was queued again while this job ran: that one will say how it ends. */
function hasNewer(core: CatalogCore, job: JobRow): boolean {
  return (
    core
      .sql("SELECT EXISTS (SELECT 1 FROM job WHERE item_id = ? AND kind = ? AND turn = 0 AND id <> ?)")
      .pluck()
      .get(job.itemId, job.kind, job.id) === 1
  );
}

/** Throws JOB_NOT_FOUND, and ITEM_DELETING for a delete: deletes always finish. */
export function cancelJob(core: CatalogCore, id: number): void {
  const job = jobRow(core, id);
  if (!job) throw new KnowdError("JOB_NOT_FOUND", { jobId: id });
  if (job.kind === "delete") throw new KnowdError("ITEM_DELETING", { itemId: job.itemId, jobId: id });
  core.sql("DELETE FROM job WHERE id = ?").run(id);
  announceJob(core, job, null);
}

/**
 * After a crash: what ran is queued again, its attempt counted. The many that were in flight once are no suspects, or
 * each kill would make them run one by one; what dies with the daemon a second time is. Answers how many ran.
 */
export function recoverJobs(core: CatalogCore, now: number): number {
  const ids = core.sql("SELECT id FROM job WHERE state = 'running' ORDER BY id").pluck().all() as number[];
  for (const id of ids) {
    const job = jobRow(core, id) as JobRow;
    const isSuspect = job.kind === "index" && (job.suspect === 1 || job.attempts >= SUSPECT_FROM_ATTEMPTS);
    requeue(core, job, { runAfter: now, error: null, attempts: job.attempts, suspect: isSuspect ? 1 : 0 });
  }
  return ids.length;
}
