import type { PreparedUnit } from "../../../workers/contract.ts";
import { encodeUnitJson } from "../../../workers/search/unit-json.ts";
import type { Database } from "../sqlite.ts";
import type { Released } from "./orphans.ts";
import type { WordChanges } from "./words.ts";

export interface StoredUnit {
  readonly unit_id: string;
  readonly content_hash: string;
  readonly unit_index: number;
  readonly title: string;
  readonly char_start: number;
  readonly char_end: number;
  readonly locator_json: string | null;
}

/** A material's units in order, read in pages so that they may be removed on the way. */
export function* unitsOf(db: Database, materialId: string): Generator<StoredUnit, void> {
  let after = -1;
  for (;;) {
    const page = db.statement(UNITS_AFTER).all(materialId, after) as StoredUnit[];
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    after = last.unit_index;
  }
}

export interface UnitOwner {
  readonly materialId: string;
  readonly contentHash: string;
  readonly text: string;
}

/** Its vector, if the base has any, must be stored before. */
export function addUnit(
  db: Database,
  words: WordChanges,
  owner: UnitOwner,
  unit: PreparedUnit,
  vectorHash: string | null,
): void {
  const { materialId, contentHash, text } = owner;
  const { unitId, unitIndex, title, charStart, charEnd } = unit;
  const json = encodeUnitJson(unit.headings, unit.locator);
  db.statement(ADD_UNIT).run(unitId, materialId, contentHash, unitIndex, title, charStart, charEnd, json);
  db.statement(ADD_TEXT).run(unit.searchTextId, unitId, text.slice(charStart, charEnd), vectorHash);
  words.add(unitId, unit.wordsTitle, unit.wordsBody);
}

/** Child to parent. What it may leave without an owner is noted in `released`. */
export function removeUnit(db: Database, words: WordChanges, unit: StoredUnit, released: Released): void {
  words.remove(unit.unit_id);
  const text = db.statement(REMOVE_TEXT).get(unit.unit_id) as { hash: string | null } | undefined;
  if (text?.hash) released.vectors.add(text.hash);
  db.statement(REMOVE_UNIT).run(unit.unit_id);
  released.contents.add(unit.content_hash);
}

const PAGE = 128;
const UNITS_AFTER = `
  SELECT unit_id, content_hash, unit_index, title, char_start, char_end, locator_json FROM search_unit
  WHERE material_id = ? AND unit_type = 'chunk' AND unit_index > ? ORDER BY unit_index LIMIT ${PAGE}`;
const ADD_UNIT = `
  INSERT INTO search_unit
    (unit_id, material_id, content_hash, unit_type, unit_index, title, char_start, char_end, locator_json)
  VALUES (?, ?, ?, 'chunk', ?, ?, ?, ?, ?)`;
const ADD_TEXT = `
  INSERT INTO search_text (search_text_id, target_type, target_id, kind, text, embedding_text_hash)
  VALUES (?, 'search_unit', ?, 'body', ?, ?)`;
const REMOVE_TEXT = `
  DELETE FROM search_text WHERE target_id = ? AND target_type = 'search_unit' AND kind = 'body'
  RETURNING embedding_text_hash AS hash`;
const REMOVE_UNIT = "DELETE FROM search_unit WHERE unit_id = ?";
