import { WORDS_VERSION } from "../../../workers/words/shape.ts";
import type { Database } from "../sqlite.ts";
import type { MaterialRow } from "./materials.ts";
import { reshapeMaterial } from "./rename.ts";
import { applyTally } from "./tally.ts";
import { createWordChanges } from "./words.ts";

/** The words of some materials were shaped by another version than the one that shapes queries now. */
export function needsReshaping(db: Database): boolean {
  return db.statement("SELECT words_version FROM stats WHERE id = 1").pluck().get() !== WORDS_VERSION;
}

/** The next such material after this id; undefined when there is none, and then the index counts as up to date. */
export function nextStale(db: Database, afterId: string): MaterialRow | undefined {
  const found = db.statement(NEXT_STALE).get(afterId, WORDS_VERSION) as MaterialRow | undefined;
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

const NEXT_STALE = `
  SELECT material.material_id, relative_path, current_content_hash, format, words_version
  FROM material LEFT JOIN material_words ON material_words.material_id = material.material_id
  WHERE material.material_id > ? AND words_version IS NOT ? ORDER BY material.material_id LIMIT 1`;
