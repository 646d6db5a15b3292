/**
 * Version 2. The kind of a failure stands beside its sentence: what is skipped for its type is told from what went wrong,
 * and does not make its folder fail; documents with a warning are found. Work of external processors: jobs of a kind of
 * their own, and which bytes the Markdown that stands beside a file was made from. The readers of the last daemon are kept,
 * so that what a new one reads better is read again. Missing files are found source by source, what is being deleted base by
 * base, leaves apart from directories.
 */
export const version2Sql = `
ALTER TABLE item ADD COLUMN failure TEXT;
CREATE INDEX item_skipped ON item(base_id) WHERE status = 'failed' AND failure = 'unsupported';
CREATE INDEX item_warned ON item(base_id) WHERE status = 'completed' AND warnings <> '[]';
CREATE INDEX item_failed_child ON item(group_id) WHERE status = 'failed' AND failure IS NOT 'unsupported';

DROP INDEX item_deleting;
CREATE INDEX item_deleting ON item(base_id, type) WHERE status = 'deleting';

ALTER TABLE catalog_state ADD COLUMN readers TEXT;

DROP INDEX ledger_missing;
CREATE INDEX ledger_missing ON ledger(source_id, missing_since) WHERE missing_since IS NOT NULL;

CREATE TABLE processed (
  item_id TEXT PRIMARY KEY REFERENCES item(id) ON DELETE CASCADE,
  byte_hash TEXT NOT NULL,
  processor_id TEXT NOT NULL,
  markdown_id TEXT NOT NULL,
  processed_at INTEGER NOT NULL
) STRICT;

CREATE TABLE job_2 (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind IN ('index', 'process', 'delete')),
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
INSERT INTO job_2 (id, kind, state, base_id, item_id, source_id, priority, run_after, attempts, suspect, lonely_crashes,
  error, created_at)
SELECT id, kind, state, base_id, item_id, source_id, priority, run_after, attempts, suspect, lonely_crashes, error,
  created_at FROM job;
-- Numbers of jobs that are done are never given again.
DELETE FROM sqlite_sequence WHERE name = 'job_2';
INSERT INTO sqlite_sequence (name, seq) SELECT 'job_2', seq FROM sqlite_sequence WHERE name = 'job';
DROP TABLE job;
ALTER TABLE job_2 RENAME TO job;
CREATE UNIQUE INDEX job_of_item ON job(item_id, kind, turn);
CREATE INDEX job_due ON job(kind, suspect, priority, base_id, run_after, id) WHERE state = 'queued';
CREATE INDEX job_running ON job(id) WHERE state = 'running';
CREATE INDEX job_held ON job(state) WHERE state IN ('parked', 'failed');
CREATE INDEX job_of_source ON job(source_id, id, kind, state) WHERE kind = 'index' AND state IN ('queued', 'running');
CREATE INDEX job_failing ON job(source_id, id) WHERE kind = 'index' AND state = 'queued' AND error IS NOT NULL;
`;
