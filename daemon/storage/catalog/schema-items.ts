/**
 * K4: items, the names they hold (K5.1), and the triggers that count them. `phase` is what a count asks of a status.
 * A revision is all there or not at all: chunks, hash and fingerprint together.
 *
 * A name has no key to its item: whoever takes the row out knows its names, and an index by item would cost more than
 * all else about names. The indexes by age grow at their end; rows of one millisecond are put in the order of their ids
 * when they are read. `item_unfinished` answers "has this directory an active child, a failed one" with one probe;
 * completed children, the many, are not in it.
 */
export const itemsSql = `
CREATE TABLE item (
  id TEXT PRIMARY KEY,
  base_id TEXT NOT NULL REFERENCES base(id) ON DELETE CASCADE,
  group_id TEXT REFERENCES item(id) CHECK (group_id <> id),
  source_id TEXT,
  type TEXT NOT NULL CHECK (type IN ('file', 'url', 'note', 'directory')),
  status TEXT NOT NULL CHECK (status IN
    ('idle', 'preparing', 'processing', 'reading', 'embedding', 'completed', 'failed', 'deleting')),
  error TEXT CHECK (trim(error, char(9, 10, 11, 12, 13, 32, 160)) <> ''),
  refresh_error TEXT CHECK (trim(refresh_error, char(9, 10, 11, 12, 13, 32, 160)) <> ''),
  title TEXT NOT NULL,
  concept_id TEXT NOT NULL CHECK (concept_id <> ''),
  path TEXT,
  source_key TEXT,
  format TEXT,
  size_bytes INTEGER CHECK (size_bytes >= 0),
  content_hash TEXT,
  chunk_count INTEGER NOT NULL DEFAULT 0 CHECK (chunk_count >= 0),
  fingerprint TEXT,
  warnings TEXT NOT NULL DEFAULT '[]',
  metadata TEXT NOT NULL DEFAULT '{}',
  missing_since INTEGER,
  changed_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  phase TEXT GENERATED ALWAYS AS (
    CASE WHEN status IN ('completed', 'failed', 'deleting') THEN status ELSE 'active' END
  ) VIRTUAL,
  CHECK (type = 'directory' OR status <> 'preparing'),
  CHECK (type <> 'directory' OR status NOT IN ('reading', 'embedding')),
  CHECK ((status = 'failed') = (error IS NOT NULL)),
  CHECK ((chunk_count > 0) = (content_hash IS NOT NULL) AND (chunk_count > 0) = (fingerprint IS NOT NULL)),
  CHECK (status <> 'completed' OR type = 'directory' OR chunk_count > 0)
) STRICT;
CREATE INDEX item_by_age ON item(base_id, created_at, type);
CREATE INDEX item_root_by_age ON item(base_id, created_at) WHERE group_id IS NULL;
CREATE INDEX item_root_by_name ON item(base_id, concept_id) WHERE group_id IS NULL;
CREATE INDEX item_child_by_age ON item(group_id, created_at);
CREATE INDEX item_child_by_name ON item(group_id, concept_id);
CREATE INDEX item_unfinished ON item(group_id, status) WHERE status NOT IN ('completed', 'deleting');
CREATE INDEX item_failed_by_age ON item(base_id, created_at) WHERE status = 'failed';
CREATE INDEX item_failed_by_source ON item(source_id) WHERE status = 'failed';
CREATE INDEX item_deleting ON item(group_id) WHERE status = 'deleting';
CREATE INDEX item_visible ON item(base_id, format, changed_at, id)
  WHERE status = 'completed' AND missing_since IS NULL AND type <> 'directory';
CREATE INDEX item_by_path ON item(path) WHERE path IS NOT NULL;
CREATE INDEX item_by_source_key ON item(source_key) WHERE source_key IS NOT NULL;

CREATE TABLE name (
  base_id TEXT NOT NULL REFERENCES base(id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  item_id TEXT NOT NULL,
  slot TEXT NOT NULL CHECK (slot IN ('own', 'markdown')),
  PRIMARY KEY (base_id, key)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER item_parent_fits BEFORE INSERT ON item WHEN new.group_id IS NOT NULL
BEGIN
  SELECT raise(ABORT, 'the parent is no directory of this base') WHERE NOT EXISTS (
    SELECT 1 FROM item WHERE id = new.group_id AND base_id = new.base_id AND type = 'directory');
END;
CREATE TRIGGER item_new_parent_fits BEFORE UPDATE OF group_id, base_id ON item WHEN new.group_id IS NOT NULL
BEGIN
  SELECT raise(ABORT, 'the parent is no directory of this base') WHERE NOT EXISTS (
    SELECT 1 FROM item WHERE id = new.group_id AND base_id = new.base_id AND type = 'directory');
END;
CREATE TRIGGER item_stays_deleting BEFORE UPDATE OF status ON item
WHEN old.status = 'deleting' AND new.status <> 'deleting'
BEGIN
  SELECT raise(ABORT, 'a deleting item stays deleting');
END;

CREATE TRIGGER tally_insert AFTER INSERT ON item WHEN new.type <> 'directory' AND new.phase <> 'deleting'
BEGIN
  INSERT INTO tally (base_id, phase, fingerprint, items, chunks)
  VALUES (new.base_id, new.phase, ifnull(new.fingerprint, ''), 1, new.chunk_count)
  ON CONFLICT DO UPDATE SET items = items + 1, chunks = chunks + excluded.chunks;
END;
CREATE TRIGGER tally_delete AFTER DELETE ON item WHEN old.type <> 'directory' AND old.phase <> 'deleting'
BEGIN
  UPDATE tally SET items = items - 1, chunks = chunks - old.chunk_count
  WHERE base_id = old.base_id AND phase = old.phase AND fingerprint = ifnull(old.fingerprint, '');
END;
CREATE TRIGGER tally_update AFTER UPDATE OF status, chunk_count, fingerprint ON item
WHEN new.type <> 'directory' AND (old.phase <> new.phase OR old.chunk_count <> new.chunk_count
  OR old.fingerprint IS NOT new.fingerprint)
BEGIN
  UPDATE tally SET items = items - 1, chunks = chunks - old.chunk_count
  WHERE base_id = old.base_id AND phase = old.phase AND fingerprint = ifnull(old.fingerprint, '');
  INSERT INTO tally (base_id, phase, fingerprint, items, chunks)
  SELECT new.base_id, new.phase, ifnull(new.fingerprint, ''), 1, new.chunk_count WHERE new.phase <> 'deleting'
  ON CONFLICT DO UPDATE SET items = items + 1, chunks = chunks + excluded.chunks;
  DELETE FROM tally WHERE base_id = old.base_id AND phase = old.phase
    AND fingerprint = ifnull(old.fingerprint, '') AND items = 0;
END;
`;
