import { decodeUnitJson } from "../../../workers/search/unit-json.ts";
import { shapeBody, shapeTitle } from "../../../workers/words/shape.ts";
import type { Database } from "../sqlite.ts";
import { decodeNames, freePath, materialRow, putShape, type MaterialRow } from "./materials.ts";
import { emptyTally, type Tally } from "./tally.ts";
import { unitsOf, type StoredUnit } from "./units.ts";
import type { WordChanges } from "./words.ts";

/** Shapes unknown in bases of other makers are shaped as plain text. */
const UNKNOWN_FORMAT = "text";

/** A new path: the words of the title follow it, all else stays. One unit a step; `words.steps()` must follow. */
export function* renameMaterial(
  db: Database,
  words: WordChanges,
  materialId: string,
  relativePath: string,
): Generator<undefined, Tally> {
  const material = materialRow(db, materialId);
  if (!material || material.relative_path === relativePath) return emptyTally();
  freePath(db, relativePath, materialId);
  db.statement("UPDATE material SET relative_path = ? WHERE material_id = ?").run(relativePath, materialId);
  return yield* reshapeMaterial(db, words, { ...material, relative_path: relativePath });
}

/**
 * The same for a document of many segments, whose words would take minutes: the path at once, and a mark that its words are
 * out of date, so that what a crash cuts off is taken up at the next opening. They follow in steps (reshape.ts).
 */
export function renameAhead(db: Database, materialId: string, relativePath: string): void {
  freePath(db, relativePath, materialId);
  db.statement("UPDATE material SET relative_path = ? WHERE material_id = ?").run(relativePath, materialId);
  db.statement("UPDATE material_words SET words_version = 0 WHERE material_id = ?").run(materialId);
  db.statement("UPDATE stats SET words_version = 0 WHERE id = 1").run();
}

/**
 * The material's words again from its stored text, under new numbers: a number stands for one row of words for ever, so
 * whoever keeps what it read of the word index need only look for newer numbers and gone ones.
 */
export function* reshapeMaterial(
  db: Database,
  words: WordChanges,
  material: MaterialRow,
): Generator<undefined, Tally> {
  const tally = emptyTally();
  tally.changed = true;
  for (const unit of unitsOf(db, material.material_id)) {
    reshapeUnit(db, words, material, unit);
    tally.removed++;
    yield;
  }
  putShape(db, material.material_id, shapeOf(material), material.names);
  return tally;
}

export function shapeOf({ format }: MaterialRow): string {
  return format ?? UNKNOWN_FORMAT;
}

export function reshapeUnit(db: Database, words: WordChanges, material: MaterialRow, unit: StoredUnit): void {
  const format = shapeOf(material);
  words.remove(unit.unit_id);
  words.add(unit.unit_id, titleWords(material, unit, format), shapeBody(bodyOf(db, unit), format));
}

function titleWords(material: MaterialRow, unit: StoredUnit, format: string): string {
  const { headings } = decodeUnitJson(unit.locator_json);
  const names = decodeNames(material.names);
  // As it was shaped when it was read: the document's title, which a unit below a heading does not have, comes first.
  const title = names[0] ?? unit.title;
  return shapeTitle({ relativePath: material.relative_path, title, headings, names, format });
}

function bodyOf(db: Database, unit: StoredUnit): string {
  const row = db
    .statement(
      "SELECT text FROM search_text WHERE target_id = ? AND target_type = 'search_unit' AND kind = 'body'",
    )
    .get(unit.unit_id) as { text: string } | undefined;
  return row?.text ?? "";
}
