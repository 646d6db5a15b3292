import type { Job } from "../../../rpc/contract/jobs.ts";
import type { JobCounts, JobStore, NewJob } from "./contract.ts";
import type { CatalogCore } from "./core.ts";
import { basesOf, numberCursor, numberKeyOf, pageOf, rowsToAsk } from "./cursor.ts";
import { claimJobs, nextDue } from "./job-claim.ts";
import { announceJob, JOB_COLUMNS, jobRow, toJob, type JobRow } from "./job-row.ts";
import { cancelJob, holdJob, recoverJobs, retryAllJobs, retryJob, suspectJob } from "./job-settle.ts";

const LIST = "jobs";

/**
 * queued → running → (done: the row goes) | queued again | parked | failed; parked, failed → queued by a person's word
 * or by new work on the item. Deletes are queued or running until they are done.
 */
export function openJobStore(core: CatalogCore): JobStore {
  const { transaction } = core;
  return {
    enqueue: (jobs) => transaction(() => jobs.reduce((added, job) => added + enqueueJob(core, job), 0)),
    enqueueParked: (jobs, error) =>
      transaction(() => jobs.flatMap((job) => enqueueParked(core, job, error) ?? [])),
    claim: (query) => transaction(() => claimJobs(core, query)),
    nextDue: (kind) => nextDue(core, kind),
    finish: (ids) => transaction(() => removeJobs(core, ids)),
    retry: (id, runAfter, error, options) =>
      transaction(() => retryJob(core, id, runAfter, error, options?.attempt ?? "keep")),
    markSuspects: (ids, options) => transaction(() => ids.forEach((id) => suspectJob(core, id, options))),
    fail: (id, error) => transaction(() => holdJob(core, id, "failed", error)),
    park: (ids, error) => transaction(() => ids.forEach((id) => holdJob(core, id, "parked", error))),
    get(id) {
      const row = jobRow(core, id);
      return row && toJob(row);
    },
    list: (query) => listJobs(core, query),
    cancel: (id) => transaction(() => cancelJob(core, id)),
    cancelOfItems: (itemIds) =>
      transaction(() => itemIds.flatMap((itemId) => cancelWhere(core, "item_id = ?", itemId))),
    cancelOfBase: (baseId) => transaction(() => cancelWhere(core, "base_id = ?", baseId)),
    retryAll: (state) => transaction(() => retryAllJobs(core, state)),
    counts: () => countJobs(core),
    countsOf: (baseIds) => countJobsOf(core, baseIds),
    active: () => countActive(core),
    lastId: () =>
      (core.sql("SELECT seq FROM sqlite_sequence WHERE name = 'job'").pluck().get() as number | undefined) ??
      0,
    outstanding: (query) => outstanding(core, query),
    recover: (now) => transaction(() => recoverJobs(core, now)),
  };
}

/**
 * 1 for a new job; 0 when the item was queued already, which then is due at the new time and no failure any more: new work
 * has its attempts before it. Only a delete, which goes on as it was, keeps them, and a suspect runs alone once more.
 */
function enqueueJob(core: CatalogCore, job: NewJob): number {
  removeJobs(core, jobIds(core, job, "state IN ('parked', 'failed')"));
  const { changes } = core
    .sql(
      `UPDATE job SET priority = min(priority, ?), run_after = ?, error = NULL,
         attempts = iif(kind = 'delete', attempts, 0), lonely_crashes = 0
       WHERE item_id = ? AND kind = ? AND turn = 0`,
    )
    .run(job.priority, job.runAfter, job.itemId, job.kind);
  if (changes > 0) return 0;
  insertJob(core, job, "queued", null);
  return 1;
}

/** The item's parked job, a new one or the one that was there; undefined when its work goes on already. */
function enqueueParked(core: CatalogCore, job: NewJob, error: string): Job | undefined {
  if (jobIds(core, job, "state IN ('queued', 'running')").length > 0) return undefined;
  const [parked] = jobIds(core, job, "state = 'parked'");
  const row = jobRow(core, parked ?? insertJob(core, job, "parked", error));
  if (row && parked === undefined) announceJob(core, row, "parked");
  return row && toJob(row);
}

type JobCondition = "state IN ('parked', 'failed')" | "state IN ('queued', 'running')" | "state = 'parked'";

/** The jobs of an item and kind. */
function jobIds(core: CatalogCore, { itemId, kind }: NewJob, where: JobCondition): number[] {
  return core
    .sql(`SELECT id FROM job WHERE item_id = ? AND kind = ? AND ${where} ORDER BY id`)
    .pluck()
    .all(itemId, kind) as number[];
}

function insertJob(core: CatalogCore, job: NewJob, state: "queued" | "parked", error: string | null): number {
  const { lastInsertRowid } = core
    .sql(
      `INSERT INTO job (kind, state, base_id, item_id, source_id, priority, run_after, error, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      job.kind,
      state,
      job.baseId,
      job.itemId,
      job.sourceId,
      job.priority,
      job.runAfter,
      error,
      core.now(),
    );
  return Number(lastInsertRowid);
}

/** That held work is no more, whatever took it away, is announced. */
function removeJobs(core: CatalogCore, ids: readonly number[]): void {
  const remove = core.sql("DELETE FROM job WHERE id = ? RETURNING id, state, base_id AS baseId");
  for (const id of ids) {
    const job = remove.get(id) as Pick<JobRow, "id" | "state" | "baseId"> | undefined;
    if (job?.state === "failed" || job?.state === "parked") announceJob(core, job, null);
  }
}

/** Newest first. */
function listJobs(core: CatalogCore, query: Parameters<JobStore["list"]>[0]): ReturnType<JobStore["list"]> {
  const rows = core
    .sql(
      `SELECT ${JOB_COLUMNS} FROM job
       WHERE id < :id AND state = ifnull(:state, state)
         AND (:baseIds IS NULL OR base_id IN (SELECT value FROM json_each(:baseIds)))
       ORDER BY id DESC LIMIT :limit`,
    )
    .all({
      id: numberKeyOf(LIST, query),
      state: query.state ?? null,
      baseIds: basesOf(query),
      limit: rowsToAsk(query),
    }) as JobRow[];
  return pageOf(rows, query, toJob, (last) => numberCursor(LIST, last.id));
}

/** All but deletes, which always finish. Answers the ids of those that are no more, running ones included. */
function cancelWhere(core: CatalogCore, where: "item_id = ?" | "base_id = ?", value: string): number[] {
  const ids = core
    .sql(`SELECT id FROM job WHERE ${where} AND kind <> 'delete' ORDER BY id`)
    .pluck()
    .all(value) as number[];
  removeJobs(core, ids);
  return ids;
}

function countJobs(core: CatalogCore): JobCounts {
  return core
    .sql(
      `SELECT total - running - parked - failed AS queued, running, parked, failed FROM (SELECT
         (SELECT count(*) FROM job) AS total,
         (SELECT count(*) FROM job WHERE state = 'running') AS running,
         (SELECT count(*) FROM job WHERE state = 'parked' AND state IN ('parked', 'failed')) AS parked,
         (SELECT count(*) FROM job WHERE state = 'failed' AND state IN ('parked', 'failed')) AS failed)`,
    )
    .get() as JobCounts;
}

function countJobsOf(core: CatalogCore, baseIds: readonly string[]): JobCounts {
  const ofBases = "base_id IN (SELECT value FROM json_each(:baseIds))";
  return core
    .sql(
      `SELECT
         (SELECT count(*) FROM job INDEXED BY job_due WHERE state = 'queued' AND ${ofBases}) AS queued,
         (SELECT count(*) FROM job INDEXED BY job_running WHERE state = 'running' AND ${ofBases}) AS running,
         (SELECT count(*) FROM job WHERE state = 'parked' AND state IN ('parked', 'failed') AND ${ofBases}) AS parked,
         (SELECT count(*) FROM job WHERE state = 'failed' AND state IN ('parked', 'failed') AND ${ofBases}) AS failed`,
    )
    .get({ baseIds: JSON.stringify(baseIds) }) as JobCounts;
}

/** Costs what the unavailable sources have to do, beside three counts of an index. */
function countActive(core: CatalogCore): number {
  const { queued, running } = countJobs(core);
  const away = core
    .sql(
      `SELECT count(*) FROM job INDEXED BY job_of_source
       WHERE kind = 'index' AND state IN ('queued', 'running')
         AND source_id IN (SELECT id FROM source WHERE state = 'unavailable')`,
    )
    .pluck()
    .get() as number;
  return queued + running - away;
}

/** A suspect that has not crashed alone is no failure: it waits for its turn, and may be innocent. */
function outstanding(
  core: CatalogCore,
  { sourceIds, upToId }: Parameters<JobStore["outstanding"]>[0],
): ReturnType<JobStore["outstanding"]> {
  const which = `kind = 'index' AND id <= :upToId
    ${sourceIds ? "AND source_id IN (SELECT value FROM json_each(:sourceIds))" : ""}`;
  return core
    .sql(
      `SELECT unfinished - failing AS pending, failing FROM (SELECT
         (SELECT count(*) FROM job INDEXED BY job_of_source
          WHERE ${which} AND state IN ('queued', 'running')) AS unfinished,
         (SELECT count(*) FROM job INDEXED BY job_failing
          WHERE ${which} AND state = 'queued' AND error IS NOT NULL
            AND (suspect = 0 OR lonely_crashes > 0)) AS failing)`,
    )
    .get({ upToId, ...(sourceIds && { sourceIds: JSON.stringify(sourceIds) }) }) as ReturnType<
    JobStore["outstanding"]
  >;
}
