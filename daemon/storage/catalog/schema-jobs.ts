/**
 * Durable work. `turn` is 0 while a job is queued: so `job_of_item` lets an item have one queued job of a kind, and a burst
 * of events is one job, beside the one that runs. `job_due` is read lane by lane (priority, base), in each
 * from the one that is due first. Held jobs (parked, failed) wait for a person and give way to new work on their item.
 */
export const jobsSql = `
CREATE TABLE job (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind IN ('index', 'delete')),
  state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'parked', 'failed')),
  base_id TEXT NOT NULL REFERENCES base(id) ON DELETE CASCADE,
  item_id TEXT NOT NULL REFERENCES item(id) ON DELETE CASCADE,
  source_id TEXT,
  priority INTEGER NOT NULL,
  run_after INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  suspect INTEGER NOT NULL DEFAULT 0 CHECK (suspect IN (0, 1)),
  lonely_crashes INTEGER NOT NULL DEFAULT 0 CHECK (lonely_crashes >= 0),
  error TEXT,
  created_at INTEGER NOT NULL,
  turn INTEGER GENERATED ALWAYS AS (iif(state = 'queued', 0, id)) VIRTUAL,
  CHECK (kind <> 'delete' OR state IN ('queued', 'running'))
) STRICT;
CREATE UNIQUE INDEX job_of_item ON job(item_id, kind, turn);
CREATE INDEX job_due ON job(kind, suspect, priority, base_id, run_after, id) WHERE state = 'queued';
CREATE INDEX job_running ON job(id) WHERE state = 'running';
CREATE INDEX job_held ON job(state) WHERE state IN ('parked', 'failed');
CREATE INDEX job_of_source ON job(source_id, id, kind, state) WHERE kind = 'index' AND state IN ('queued', 'running');
CREATE INDEX job_failing ON job(source_id, id) WHERE kind = 'index' AND state = 'queued' AND error IS NOT NULL;
`;
