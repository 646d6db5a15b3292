import type { Database } from "../sqlite.ts";
import { applyTally, emptyTally } from "./tally.ts";
import { outdatePacks } from "./vector-packs.ts";

/** Rows of one statement; a vector of 3,072 numbers takes three pages of its own. */
const ROWS = 64;

/**
 * Takes vectors away while the slice lasts, in a transaction of its own: first from the units, then the vectors themselves.
 * False when none is left; then the index counts as changed, so that packed copies are made anew.
 */
export function dropVectors(db: Database, slice: { due(): boolean }): boolean {
  return db.transaction(() => {
    outdatePacks(db);
    do {
      const changes = db.statement(LET_GO).run().changes || db.statement(DELETE_VECTORS).run().changes;
      if (changes > 0) continue;
      applyTally(db, { ...emptyTally(), removed: 1, changed: true });
      return false;
    } while (!slice.due());
    return true;
  });
}

const LET_GO = `UPDATE search_text SET embedding_text_hash = NULL WHERE rowid IN
  (SELECT rowid FROM search_text WHERE embedding_text_hash IS NOT NULL LIMIT ${ROWS})`;
const DELETE_VECTORS = `DELETE FROM embedding WHERE rowid IN (SELECT rowid FROM embedding LIMIT ${ROWS})`;
