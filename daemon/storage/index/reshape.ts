import { WORDS_VERSION } from "../../../workers/words/shape.ts";
import type { Database } from "../sqlite.ts";
import { materialOfOtherWords, type MaterialRow } from "./materials.ts";
import { reshapeMaterial } from "./rename.ts";
import { applyTally } from "./tally.ts";
import { createWordChanges } from "./words.ts";

/** The words of some materials were shaped by another version than the one that shapes queries now. */
export function needsReshaping(db: Database): boolean {
  return db.statement("SELECT words_version FROM stats WHERE id = 1").pluck().get() !== WORDS_VERSION;
}

/** The next such material after this id; undefined when there is none, and then the index counts as up to date. */
export function nextStale(db: Database, afterId: string): MaterialRow | undefined {
  const found = materialOfOtherWords(db, afterId, WORDS_VERSION);
  if (!found) db.statement("UPDATE stats SET words_version = ? WHERE id = 1").run(WORDS_VERSION);
  return found;
}

/** All of one material's words again, in one transaction that the caller holds open. */
export function* reshapeWhole(db: Database, material: MaterialRow): Generator<undefined, void> {
  const words = createWordChanges(db);
  const tally = yield* reshapeMaterial(db, words, material);
  yield* words.steps();
  applyTally(db, tally);
}
