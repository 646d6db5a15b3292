import type { PreparedUnit } from "../../../workers/contract.ts";
import { encodeUnitJson } from "../../../workers/search/unit-json.ts";
import type { Database } from "../sqlite.ts";
import { RevisionRejected, type MaterialRevision } from "./contract.ts";
import { nothingReleased, type Released } from "./orphans.ts";
import type { Tally } from "./tally.ts";
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

/** A material's units in order, those after an index, read in pages so that they may be removed on the way. */
export function* unitsOf(db: Database, materialId: string, afterIndex = -1): Generator<StoredUnit, void> {
  for (let after = afterIndex; ;) {
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

/**
 * Its vector, if the base has any, must be stored before. The same unit of a revision that is on its way out makes way.
 */
export function addUnit(
  db: Database,
  words: WordChanges,
  owner: UnitOwner,
  unit: PreparedUnit,
  { vectorHash, tally }: { vectorHash: string | null; tally: Tally },
): void {
  const { materialId, contentHash, text } = owner;
  const { unitId, unitIndex, title, charStart, charEnd } = unit;
  const json = encodeUnitJson(unit.headings, unit.locator);
  const add = db.statement(ADD_UNIT);
  const values = [unitId, materialId, contentHash, unitIndex, title, charStart, charEnd, json] as const;
  if (add.run(...values).changes === 0) {
    const unseen = db.statement(UNSEEN_UNIT).get(unitId) as StoredUnit | undefined;
    if (!unseen) throw new RevisionRejected(`chunk ${unitIndex} is there already`);
    // Text and vector are the same ones, so nothing is left without an owner.
    removeUnit(db, words, unseen, nothingReleased());
    tally.units--;
    tally.removed++;
    add.run(...values);
  }
  tally.units++;
  tally.changed = true;
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

/** Keys are hashes: in their order a large material walks each index from end to end instead of jumping about in it. */
export function inKeyOrder<T>(rows: readonly T[], keyOf: (row: T) => string): T[] {
  return rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** What a unit's vector is found by; null in a base without a model. */
export function vectorHash(revision: Pick<MaterialRevision, "vectors">, unit: PreparedUnit): string | null {
  return revision.vectors === null ? null : unit.textHash;
}

/** Throws RevisionRejected for what can't be a chunk of the text (K8.4). */
export function refuseUnsound({ text, units }: Pick<MaterialRevision, "text" | "units">): void {
  const indexes = new Set<number>();
  for (const { unitIndex, charStart, charEnd } of units) {
    if (charEnd > text.length) {
      throw new RevisionRejected(
        `chunk ${unitIndex} ends at ${charEnd}, beyond the text's ${text.length} characters`,
      );
    }
    if (!(charStart >= 0 && charStart < charEnd)) {
      throw new RevisionRejected(`chunk ${unitIndex} has the impossible range ${charStart} to ${charEnd}`);
    }
    if (indexes.has(unitIndex)) throw new RevisionRejected(`two chunks have the index ${unitIndex}`);
    indexes.add(unitIndex);
  }
}

const PAGE = 128;
const UNITS_AFTER = `
  SELECT unit_id, content_hash, unit_index, title, char_start, char_end, locator_json FROM search_unit
  WHERE material_id = ? AND unit_type = 'chunk' AND unit_index > ? ORDER BY unit_index LIMIT ${PAGE}`;
const ADD_UNIT = `
  INSERT INTO search_unit
    (unit_id, material_id, content_hash, unit_type, unit_index, title, char_start, char_end, locator_json)
  VALUES (?, ?, ?, 'chunk', ?, ?, ?, ?, ?) ON CONFLICT (unit_id) DO NOTHING`;
const UNSEEN_UNIT = `
  SELECT unit_id, content_hash, unit_index, title, char_start, char_end, locator_json FROM search_unit
  WHERE unit_id = ? AND EXISTS (
    SELECT 1 FROM unseen_material WHERE unseen_material.material_id = search_unit.material_id)`;
const ADD_TEXT = `
  INSERT INTO search_text (search_text_id, target_type, target_id, kind, text, embedding_text_hash)
  VALUES (?, 'search_unit', ?, 'body', ?, ?)`;
const REMOVE_TEXT = `
  DELETE FROM search_text WHERE target_id = ? AND target_type = 'search_unit' AND kind = 'body'
  RETURNING embedding_text_hash AS hash`;
const REMOVE_UNIT = "DELETE FROM search_unit WHERE unit_id = ?";
