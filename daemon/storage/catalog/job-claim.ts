import type { JobKind } from "../../../rpc/contract/jobs.ts";
import type { ClaimedJob, JobStore } from "./contract.ts";
import type { CatalogCore } from "./core.ts";
import { JOB_COLUMNS, toClaimed, type JobRow } from "./job-row.ts";

/** Queued jobs of one priority and one base, in the order they are due: a stretch of the index `job_due`. */
interface Lane {
  readonly priority: number;
  readonly baseId: string;
}

type ClaimQuery = Parameters<JobStore["claim"]>[0];

/**
 * Marks due jobs running and counts the attempt, so that it is written down before the job is dispatched. Best priority
 * first, then what has been due longest; never a job whose item has another one running. A suspect is claimed alone.
 * Must run in a transaction.
 */
export function claimJobs(core: CatalogCore, query: ClaimQuery): ClaimedJob[] {
  const limit = query.suspects ? Math.min(1, query.limit) : query.limit;
  const claimed: JobRow[] = [];
  for (const lanes of lanesByPriority(core, query)) {
    if (claimed.length >= limit) break;
    const due = lanes.flatMap((lane) => dueJobs(core, query, lane, limit - claimed.length));
    if (lanes.length > 1) due.sort((one, other) => one.runAfter - other.runAfter || one.id - other.id);
    claimed.push(...due.slice(0, limit - claimed.length));
  }
  const start = core.sql("UPDATE job SET state = 'running', attempts = attempts + 1 WHERE id = ?");
  return claimed.map((row) => {
    start.run(row.id);
    return toClaimed({ ...row, state: "running", attempts: row.attempts + 1 });
  });
}

/** The soonest time at which a queued job of this kind is due. */
export function nextDue(core: CatalogCore, kind: JobKind): number | null {
  const first = core
    .sql(
      `SELECT min(run_after) FROM job
       WHERE kind = ? AND suspect = ? AND priority = ? AND base_id = ? AND state = 'queued'`,
    )
    .pluck();
  const times = [0, 1].flatMap((suspect) =>
    lanesOf(core, kind, suspect).map(
      (lane) => first.get(kind, suspect, lane.priority, lane.baseId) as number,
    ),
  );
  return times.length === 0 ? null : Math.min(...times);
}

function lanesByPriority(core: CatalogCore, query: ClaimQuery): Lane[][] {
  const excluded = new Set(query.basesExcluded);
  const lanes = lanesOf(core, query.kind, query.suspects ? 1 : 0).filter(
    (lane) => !excluded.has(lane.baseId),
  );
  const priorities = [...new Set(lanes.map((lane) => lane.priority))];
  return priorities.map((priority) => lanes.filter((lane) => lane.priority === priority));
}

/** Best priority first. Jumps from lane to lane in the index: costs the number of lanes, not of jobs. */
function lanesOf(core: CatalogCore, kind: JobKind, suspect: number): Lane[] {
  const inLane = "kind = ? AND suspect = ? AND state = 'queued'";
  const nextBase = core.sql(
    `SELECT priority, base_id AS baseId FROM job WHERE ${inLane} AND priority = ? AND base_id > ?
     ORDER BY base_id LIMIT 1`,
  );
  const nextPriority = core.sql(
    `SELECT priority, base_id AS baseId FROM job WHERE ${inLane} AND priority > ? ORDER BY priority, base_id LIMIT 1`,
  );
  const lanes: Lane[] = [];
  let priority = Number.MIN_SAFE_INTEGER;
  let baseId = "";
  for (;;) {
    const lane = (nextBase.get(kind, suspect, priority, baseId) ??
      nextPriority.get(kind, suspect, priority)) as Lane | undefined;
    if (!lane) return lanes;
    lanes.push(lane);
    ({ priority, baseId } = lane);
  }
}

function dueJobs(core: CatalogCore, query: ClaimQuery, lane: Lane, limit: number): JobRow[] {
  return core
    .sql(
      `SELECT ${JOB_COLUMNS} FROM job
       WHERE kind = ? AND suspect = ? AND priority = ? AND base_id = ? AND state = 'queued' AND run_after <= ?
         AND NOT EXISTS (SELECT 1 FROM job AS other WHERE other.item_id = job.item_id AND other.state = 'running')
       ORDER BY run_after, id LIMIT ?`,
    )
    .all(query.kind, query.suspects ? 1 : 0, lane.priority, lane.baseId, query.now, limit) as JobRow[];
}
