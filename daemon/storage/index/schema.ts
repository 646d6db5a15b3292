import type { Migration } from "../sqlite.ts";

/** "kndx" in ASCII. */
export const INDEX_APPLICATION_ID = 0x6b_6e_64_78;
/** The version in `meta` (contract K8): what a Cherry Studio v2 base folder has too. */
export const INDEX_SCHEMA_VERSION = 2;

/**
 * K2.4: the rules of a material's path, as the database sees them. With a slash at both ends each segment can be told by
 * itself; instr compares bytes, where LIKE would take `.Cherry` for `.cherry`.
 */
const PATH_CHECKS = ["//", "/./", "/../"].map(
  (segment) => `
  CHECK (instr('/' || relative_path || '/', '${segment}') = 0)`,
);
const MORE_PATH_CHECKS = `
  CHECK (instr(relative_path, char(0)) = 0),
  CHECK (substr(relative_path || '/', 1, 8) <> '.cherry/')`;

/**
 * The seven objects of the contract (K8), then what knowd adds beside them:
 * unit_number gives each unit a rowid that is never used again; unit_words is the word index over it, contentless.
 * material_words holds what the words of a material were shaped with. stats holds counters that would else cost a scan;
 * its generation grows with each commit that took units away.
 * Every reference is a foreign key with an index on its child, so an orphan that points nowhere cannot be written.
 * search_text_id is a hash of the target, so the target's own uniqueness makes it unique: an index of it would only cost.
 * crisismerge is out of reach: segments are merged by us, in bounded steps (merge.ts), never inside a commit.
 *
 * Version 2, for texts that are too long for one row. Such a document is a run of segments, each a content row of its own;
 * its material names the first, segmented_material the whole. A unit belongs to the last segment whose unit_start is not
 * above its index; line_start counts from 1, in the document's own text. unseen_material: a revision that is being
 * staged, or one that is on its way out; the opening of the file removes what is left of either. kept_units: the indexes
 * of those units of the revision before that a staged one takes over. hidden_units: unit numbers, from first to last,
 * that no search may see; the ranges do not overlap.
 *
 * Version 3: names of a document that are words of each of its units (title, tags), as JSON; null where none were told.
 *
 * Version 4, for latent vectors (workers/latent): all derived, so it may be dropped and fitted again. latent_basis: at most
 * one basis is current, the one that searches use, and one filling, whose vectors are still being made; vectors of an old
 * one are on their way out. folded_to: units up to this number have their vector, where they have a term that the basis
 * knows. latent_vector goes with its unit; its version is no foreign key, for that would take an index of its own.
 *
 * Version 5, for vectors that are loaded in a moment (vector-packs.ts): derived from embedding and unit_number, so it may be
 * emptied at any time. A vector_pack holds the vectors of all units whose numbers are from first to last, packed as searches
 * use them; packs follow one another without a gap, from number 1 on. units: those that there were when it was written, of
 * which as many as deleted says are gone. stale: some unit of its range has another vector now, or one where it had none; it is not read
 * any more. The triggers see to both in the transaction of the change, whoever makes it.
 */
export const indexMigrations: readonly Migration[] = [
  {
    version: 1,
    sql: `
CREATE TABLE meta (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  schema_version INTEGER NOT NULL,
  base_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE TABLE content (
  content_hash TEXT PRIMARY KEY NOT NULL,
  text TEXT NOT NULL
);
CREATE TABLE material (
  material_id TEXT PRIMARY KEY NOT NULL,
  relative_path TEXT NOT NULL UNIQUE,
  current_content_hash TEXT REFERENCES content(content_hash),${PATH_CHECKS.join()},${MORE_PATH_CHECKS}
);
CREATE INDEX material_by_content ON material(current_content_hash);
CREATE TABLE search_unit (
  unit_id TEXT PRIMARY KEY NOT NULL,
  material_id TEXT NOT NULL REFERENCES material(material_id),
  content_hash TEXT NOT NULL REFERENCES content(content_hash),
  unit_type TEXT NOT NULL CHECK (unit_type = 'chunk'),
  unit_index INTEGER NOT NULL CHECK (unit_index >= 0),
  title TEXT NOT NULL,
  char_start INTEGER NOT NULL CHECK (char_start >= 0),
  char_end INTEGER NOT NULL CHECK (char_end > char_start),
  locator_json TEXT,
  UNIQUE (material_id, unit_type, unit_index)
);
CREATE INDEX search_unit_by_content ON search_unit(content_hash);
CREATE TABLE embedding (
  embedding_text_hash TEXT PRIMARY KEY NOT NULL,
  vector_blob BLOB NOT NULL CHECK (length(vector_blob) > 0 AND length(vector_blob) % 4 = 0)
);
CREATE TABLE search_text (
  search_text_id TEXT NOT NULL,
  target_type TEXT NOT NULL CHECK (target_type = 'search_unit'),
  target_id TEXT NOT NULL REFERENCES search_unit(unit_id),
  kind TEXT NOT NULL CHECK (kind = 'body'),
  text TEXT NOT NULL,
  embedding_text_hash TEXT REFERENCES embedding(embedding_text_hash),
  fts_rowid INTEGER UNIQUE,
  UNIQUE (target_id, target_type, kind)
);
CREATE INDEX search_text_by_embedding ON search_text(embedding_text_hash);
CREATE VIRTUAL TABLE search_text_fts USING fts5(
  text, content='search_text', content_rowid='fts_rowid', tokenize='trigram'
);

CREATE TABLE unit_number (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  unit_id TEXT NOT NULL UNIQUE REFERENCES search_unit(unit_id)
);
CREATE VIRTUAL TABLE unit_words USING fts5(
  title, body, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2'
);
INSERT INTO unit_words(unit_words, rank) VALUES ('automerge', 0), ('crisismerge', 1999), ('deletemerge', 0);
CREATE TABLE material_words (
  material_id TEXT PRIMARY KEY NOT NULL REFERENCES material(material_id),
  format TEXT NOT NULL,
  words_version INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE stats (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  materials INTEGER NOT NULL,
  units INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  words_version INTEGER NOT NULL,
  substring INTEGER NOT NULL CHECK (substring IN (0, 1))
);
`,
  },
  {
    version: 2,
    sql: `
CREATE TABLE segmented_material (
  material_id TEXT PRIMARY KEY NOT NULL REFERENCES material(material_id),
  document_hash TEXT NOT NULL,
  chars INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE content_segment (
  material_id TEXT NOT NULL REFERENCES material(material_id),
  seq INTEGER NOT NULL,
  content_hash TEXT NOT NULL REFERENCES content(content_hash),
  char_start INTEGER NOT NULL,
  chars INTEGER NOT NULL,
  line_start INTEGER NOT NULL,
  unit_start INTEGER NOT NULL,
  PRIMARY KEY (material_id, seq)
) WITHOUT ROWID;
CREATE INDEX content_segment_by_content ON content_segment(content_hash);
CREATE INDEX content_segment_by_unit ON content_segment(material_id, unit_start, seq);
CREATE TABLE unseen_material (
  material_id TEXT PRIMARY KEY NOT NULL REFERENCES material(material_id)
) WITHOUT ROWID;
CREATE TABLE kept_units (
  material_id TEXT NOT NULL REFERENCES material(material_id),
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  PRIMARY KEY (material_id, first)
) WITHOUT ROWID;
CREATE TABLE hidden_units (
  first INTEGER PRIMARY KEY,
  last INTEGER NOT NULL,
  material_id TEXT NOT NULL REFERENCES material(material_id)
);
CREATE INDEX hidden_units_by_material ON hidden_units(material_id);
`,
  },
  { version: 3, sql: "ALTER TABLE material_words ADD COLUMN names TEXT;" },
  {
    version: 4,
    sql: `
CREATE TABLE latent_basis (
  version INTEGER PRIMARY KEY AUTOINCREMENT,
  state TEXT NOT NULL CHECK (state IN ('filling', 'current', 'old')),
  fingerprint TEXT NOT NULL,
  terms_version INTEGER NOT NULL,
  dimensions INTEGER NOT NULL CHECK (dimensions > 0),
  fitted_units INTEGER NOT NULL,
  folded_to INTEGER NOT NULL
);
CREATE UNIQUE INDEX latent_basis_in_use ON latent_basis(state) WHERE state <> 'old';
CREATE TABLE latent_basis_part (
  version INTEGER NOT NULL REFERENCES latent_basis(version),
  seq INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  UNIQUE (version, seq)
);
CREATE TABLE latent_vector (
  number INTEGER NOT NULL REFERENCES unit_number(number) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  vector BLOB NOT NULL,
  PRIMARY KEY (number, version)
) WITHOUT ROWID;
`,
  },
  {
    version: 5,
    sql: `
CREATE TABLE vector_pack (
  last INTEGER PRIMARY KEY,
  first INTEGER NOT NULL CHECK (first <= last),
  units INTEGER NOT NULL,
  deleted INTEGER NOT NULL,
  stale INTEGER NOT NULL CHECK (stale IN (0, 1)),
  format INTEGER NOT NULL,
  dimensions INTEGER NOT NULL,
  checksum INTEGER NOT NULL
);
CREATE TABLE vector_pack_bytes (
  last INTEGER PRIMARY KEY REFERENCES vector_pack(last) ON DELETE CASCADE,
  bytes BLOB NOT NULL
);
CREATE TRIGGER vector_pack_unit_deleted AFTER DELETE ON unit_number BEGIN
  UPDATE vector_pack SET deleted = deleted + 1 WHERE last = (
    SELECT min(last) FROM vector_pack WHERE last >= OLD.number);
END;
CREATE TRIGGER vector_pack_unit_changed AFTER UPDATE OF embedding_text_hash ON search_text
WHEN OLD.embedding_text_hash IS NOT NEW.embedding_text_hash BEGIN
  UPDATE vector_pack SET stale = 1 WHERE stale = 0 AND last = (
    SELECT min(last) FROM vector_pack WHERE last >= (SELECT number FROM unit_number WHERE unit_id = OLD.target_id));
END;
CREATE TRIGGER vector_pack_vector_changed AFTER UPDATE OF vector_blob ON embedding BEGIN
  UPDATE vector_pack SET stale = 1;
END;
`,
  },
];
