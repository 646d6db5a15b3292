import type { Database } from "../sqlite.ts";

/**
 * The word index's part of a transaction. Numbers are given and taken at once; the FTS5 rows follow in `steps`, removals
 * before additions, when nothing else is left to write: any statement that can roll back alone makes FTS5 flush what it
 * holds, and interleaved with them each row would become a segment of its own.
 */
export interface WordChanges {
  /** Takes the unit's number away; its row in the word index goes with `steps`. */
  remove(unitId: string): void;
  /** Gives the unit a number that was never used before; its row comes with `steps`. */
  add(unitId: string, title: string, body: string): void;
  /** Writes what is pending, one row a step. */
  steps(): Generator<undefined, void>;
}

export function createWordChanges(db: Database): WordChanges {
  let removed: number[] = [];
  let added: { number: number | bigint; title: string; body: string }[] = [];
  return {
    remove(unitId) {
      const row = db.statement(TAKE_NUMBER).get(unitId) as { number: number } | undefined;
      if (row) removed.push(row.number);
    },
    add(unitId, title, body) {
      const number = db.statement(GIVE_NUMBER).run(unitId).lastInsertRowid;
      added.push({ number, title, body });
    },
    *steps() {
      const [takes, gives] = [removed, added];
      removed = [];
      added = [];
      for (const number of takes) {
        db.statement(REMOVE_ROW).run(number);
        yield;
      }
      for (const row of gives) {
        db.statement(ADD_ROW).run(row.number, row.title, row.body);
        yield;
      }
    },
  };
}

const TAKE_NUMBER = "DELETE FROM unit_number WHERE unit_id = ? RETURNING number";
const GIVE_NUMBER = "INSERT INTO unit_number (unit_id) VALUES (?)";
const REMOVE_ROW = "DELETE FROM unit_words WHERE rowid = ?";
const ADD_ROW = "INSERT INTO unit_words (rowid, title, body) VALUES (?, ?, ?)";
