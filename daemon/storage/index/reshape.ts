import { WORDS_VERSION } from "../../../workers/words/shape.ts";
import type { Database } from "../sqlite.ts";
import { materialOfOtherWords, materialRow, putShape, type MaterialRow } from "./materials.ts";
import { reshapeMaterial, reshapeUnit, shapeOf } from "./rename.ts";
import { applyTally, emptyTally } from "./tally.ts";
import { unitsOf } from "./units.ts";
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

/** Units of a document of many segments that one transaction shapes anew. */
const SOME_UNITS = 64;

/**
 * The words of the next units of a material, after the unit of this index; answers the index of the last of them, null when
 * all are done or the material is gone.
 */
export function* reshapeSome(
  db: Database,
  materialId: string,
  after: number,
): Generator<undefined, number | null> {
  const material = materialRow(db, materialId);
  if (!material || material.unseen === 1) return null;
  const words = createWordChanges(db);
  const tally = emptyTally();
  let last = after;
  for (const unit of unitsOf(db, materialId, after)) {
    reshapeUnit(db, words, material, unit);
    tally.changed = true;
    last = unit.unit_index;
    if (++tally.removed === SOME_UNITS) break;
    yield;
  }
  yield* words.steps();
  applyTally(db, tally);
  if (tally.removed === SOME_UNITS) return last;
  putShape(db, materialId, shapeOf(material), material.names);
  return null;
}
