import type { Database } from "../sqlite.ts";

/**
 * unused → filling → in use → dropping → unused, as the file itself says, since each may be cut off by a crash: the
 * triggers stand from the first step of filling to the first of dropping, `stats.substring` says "in use", and numbers
 * (fts_rowid) without triggers are what a drop has left.
 */
export type TrigramState = "unused" | "filling" | "in use" | "dropping";

export function trigramState(db: Database): TrigramState {
  if (usesTrigrams(db)) return "in use";
  if (hasTriggers(db)) return "filling";
  return db.statement(SOME_NUMBER).get() === undefined ? "unused" : "dropping";
}

/**
 * K8.1: where the trigram table is in use, these keep it in step with search_text. fts_rowid is given once and stays; the
 * implicit rowid is never used, VACUUM renumbers it.
 */
const TRIGGERS = `
CREATE TRIGGER IF NOT EXISTS search_text_fts_insert AFTER INSERT ON search_text BEGIN
  UPDATE search_text SET fts_rowid = (SELECT coalesce(max(fts_rowid), 0) + 1 FROM search_text)
    WHERE target_id = new.target_id AND target_type = new.target_type AND kind = new.kind AND fts_rowid IS NULL;
  INSERT INTO search_text_fts (rowid, text)
    SELECT fts_rowid, new.text FROM search_text
    WHERE target_id = new.target_id AND target_type = new.target_type AND kind = new.kind;
END;
CREATE TRIGGER IF NOT EXISTS search_text_fts_delete AFTER DELETE ON search_text WHEN old.fts_rowid IS NOT NULL BEGIN
  INSERT INTO search_text_fts (search_text_fts, rowid, text) VALUES ('delete', old.fts_rowid, old.text);
END;
CREATE TRIGGER IF NOT EXISTS search_text_fts_update AFTER UPDATE OF text ON search_text
WHEN old.fts_rowid IS NOT NULL BEGIN
  INSERT INTO search_text_fts (search_text_fts, rowid, text) VALUES ('delete', old.fts_rowid, old.text);
  INSERT INTO search_text_fts (rowid, text) VALUES (new.fts_rowid, new.text);
END;
`;

const NO_TRIGGERS = `
DROP TRIGGER IF EXISTS search_text_fts_insert;
DROP TRIGGER IF EXISTS search_text_fts_delete;
DROP TRIGGER IF EXISTS search_text_fts_update;
`;

/**
 * Each statement that fires a trigger makes FTS5 write a segment of its own. Its automatic merges keep up with that a few
 * pages at a time; the merge of a whole level at once, which would hold the loop, is put out of reach.
 */
const NO_CRISIS = "INSERT INTO search_text_fts (search_text_fts, rank) VALUES ('crisismerge', 1999)";

/** For an index without texts. */
export function useTrigrams(db: Database): void {
  prepare(db);
  db.statement("UPDATE stats SET substring = 1 WHERE id = 1").run();
}

export function usesTrigrams(db: Database): boolean {
  return db.statement("SELECT substring FROM stats WHERE id = 1").pluck().get() === 1;
}

/**
 * Takes texts into the trigram table while the slice lasts, in a transaction of its own; false when none is left, and
 * from then on the table counts as in use. What a drop has left is cleared first: such a number has no trigrams.
 */
export function fillTrigrams(db: Database, slice: { due(): boolean }): boolean {
  return db.transaction(() => {
    if (!hasTriggers(db)) {
      if (db.statement(CLEAR).run().changes > 0) return true;
      prepare(db);
    }
    let number = db.statement("SELECT coalesce(max(fts_rowid), 0) FROM search_text").pluck().get() as number;
    const ids = db.statement(UNFILLED).pluck().all() as string[];
    for (const id of ids) {
      db.statement("UPDATE search_text SET fts_rowid = ? WHERE target_id = ?").run(++number, id);
      db.statement(FILL).run(id);
      if (slice.due()) return true;
    }
    if (ids.length === UNFILLED_PAGE) return true;
    db.statement("UPDATE stats SET substring = 1 WHERE id = 1").run();
    return false;
  });
}

/** Empties the trigram table, filled or half filled, then forgets its rows' numbers a page at a time; false when none is left. */
export function dropTrigrams(db: Database): boolean {
  return db.transaction(() => {
    if (hasTriggers(db)) {
      db.raw.exec(NO_TRIGGERS);
      db.statement("UPDATE stats SET substring = 0 WHERE id = 1").run();
      db.statement("INSERT INTO search_text_fts (search_text_fts) VALUES ('delete-all')").run();
    }
    return db.statement(CLEAR).run().changes > 0;
  });
}

/** Negative pages begin the merge of all segments into one, positive ones go on; false when there is nothing to merge. */
export function mergeTrigrams(db: Database, pages: number): boolean {
  const changes = db.statement("SELECT total_changes()").pluck();
  const before = changes.get() as number;
  db.statement("INSERT INTO search_text_fts (search_text_fts, rank) VALUES ('merge', ?)").run(BigInt(pages));
  return (changes.get() as number) - before >= 2;
}

function hasTriggers(db: Database): boolean {
  return db.statement(INSERT_TRIGGER).get() !== undefined;
}

function prepare(db: Database): void {
  db.raw.exec(TRIGGERS);
  db.statement(NO_CRISIS).run();
}

const INSERT_TRIGGER =
  "SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND name = 'search_text_fts_insert'";
const SOME_NUMBER = "SELECT 1 FROM search_text WHERE fts_rowid IS NOT NULL LIMIT 1";
const UNFILLED_PAGE = 64;
const UNFILLED = `SELECT target_id FROM search_text WHERE fts_rowid IS NULL LIMIT ${UNFILLED_PAGE}`;
const FILL = `INSERT INTO search_text_fts (rowid, text) SELECT fts_rowid, text FROM search_text WHERE target_id = ?`;
const CLEAR = `
  UPDATE search_text SET fts_rowid = NULL WHERE target_id IN (
    SELECT target_id FROM search_text WHERE fts_rowid IS NOT NULL LIMIT 256)`;
