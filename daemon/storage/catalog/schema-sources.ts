/**
 * K11.1: watched folders and the ledger of their files. Stamps are text: nanoseconds and inodes pass what a signed
 * 64-bit integer holds. `files` is kept by triggers. The ledger is read in path order, page after page, so it is stored
 * in that order.
 */
export const sourcesSql = `
CREATE TABLE source (
  id TEXT PRIMARY KEY,
  base_id TEXT NOT NULL REFERENCES base(id) ON DELETE CASCADE,
  item_id TEXT NOT NULL,
  path TEXT NOT NULL CHECK (path <> ''),
  state TEXT NOT NULL CHECK (state IN
    ('scanning', 'watching', 'polling', 'paused', 'unavailable', 'removing')),
  state_reason TEXT,
  include TEXT NOT NULL,
  exclude TEXT NOT NULL,
  use_ignore_files INTEGER NOT NULL CHECK (use_ignore_files IN (0, 1)),
  hidden INTEGER NOT NULL CHECK (hidden IN (0, 1)),
  max_file_bytes INTEGER NOT NULL CHECK (max_file_bytes > 0),
  copy INTEGER NOT NULL CHECK (copy IN (0, 1)),
  root_dev TEXT,
  root_ino TEXT,
  files INTEGER NOT NULL DEFAULT 0,
  last_scan_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (base_id, path),
  CHECK ((root_dev IS NULL) = (root_ino IS NULL))
) STRICT;
CREATE INDEX source_by_age ON source(created_at DESC, id);

CREATE TABLE ledger (
  source_id TEXT NOT NULL REFERENCES source(id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  item_id TEXT NOT NULL REFERENCES item(id) ON DELETE CASCADE,
  size INTEGER NOT NULL,
  mtime_ns TEXT NOT NULL,
  ctime_ns TEXT NOT NULL,
  ino TEXT NOT NULL,
  dev TEXT NOT NULL,
  byte_hash TEXT,
  parser TEXT,
  missing_since INTEGER,
  PRIMARY KEY (source_id, path)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX ledger_by_item ON ledger(item_id);
CREATE INDEX ledger_by_inode ON ledger(ino, dev);
CREATE INDEX ledger_missing ON ledger(missing_since) WHERE missing_since IS NOT NULL;

CREATE TRIGGER ledger_insert AFTER INSERT ON ledger
BEGIN
  UPDATE source SET files = files + 1 WHERE id = new.source_id;
END;
CREATE TRIGGER ledger_delete AFTER DELETE ON ledger
BEGIN
  UPDATE source SET files = files - 1 WHERE id = old.source_id;
END;
`;
