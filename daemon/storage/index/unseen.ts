import { randomUUID } from "node:crypto";
import type { Database } from "../sqlite.ts";
import { moveSegments } from "./segments.ts";
import type { Tally } from "./tally.ts";

/**
 * Materials that no catalogue item has and no search sees: a revision that is being staged, or one on its way out. What is
 * left of them after a crash is told by this mark.
 */
export function addUnseen(db: Database, materialId: string): void {
  db.statement("INSERT INTO unseen_material (material_id) VALUES (?) ON CONFLICT DO NOTHING").run(materialId);
}

export function isUnseen(db: Database, materialId: string): boolean {
  return db.statement("SELECT 1 FROM unseen_material WHERE material_id = ?").get(materialId) !== undefined;
}

export function unseenMaterials(db: Database): string[] {
  return db.statement("SELECT material_id FROM unseen_material").pluck().all() as string[];
}

/** All that the tables of staging know of a material, but its segments. Leaves the material itself. */
export function forgetStaging(db: Database, materialId: string): void {
  for (const table of ["unseen_material", "kept_units", "hidden_units", "segmented_material"]) {
    db.statement(`DELETE FROM ${table} WHERE material_id = ?`).run(materialId);
  }
}

/**
 * Takes a revision out of sight within the transaction that the caller holds open: its segments and the units that do not
 * stay go to an unseen material of their own, one a step, to be removed later in short transactions. The material's row
 * stays, with nothing but what `stays`.
 */
export function* setAside(
  db: Database,
  materialId: string,
  stays: (unit: { unit_id: string; unit_index: number }) => boolean,
  tally: Tally,
): Generator<undefined, void> {
  const id = `dropped-${randomUUID()}`;
  db.statement(ADD_MATERIAL).run(id, `dropped/${id}`);
  addUnseen(db, id);
  const hidden = isUnseen(db, materialId);
  const numbers: number[] = [];
  for (let after = -1; ;) {
    const page = db.statement(UNITS).all(materialId, after) as UnitRow[];
    for (const unit of page) {
      if (stays(unit)) continue;
      db.statement("UPDATE search_unit SET material_id = ? WHERE unit_id = ?").run(id, unit.unit_id);
      if (unit.number !== null) numbers.push(unit.number);
      yield;
    }
    const last = page.at(-1);
    if (!last) break;
    after = last.unit_index;
    // Of an append nearly all units stay, and looking at them all takes a second or two.
    yield;
  }
  moveSegments(db, materialId, id);
  db.statement("UPDATE hidden_units SET material_id = ? WHERE material_id = ?").run(id, materialId);
  forgetStaging(db, materialId);
  // What had not been seen before is hidden already.
  if (!hidden) yield* hideUnits(db, id, numbers);
  db.statement("UPDATE material SET current_content_hash = NULL WHERE material_id = ?").run(materialId);
  tally.materials++;
  tally.removed += numbers.length;
  tally.changed = true;
}

/** The number that was given last; what comes next is above it. */
export function lastNumber(db: Database): number {
  return (db.statement(LAST_NUMBER).pluck().get() as number | undefined) ?? 0;
}

export function hideRange(db: Database, materialId: string, first: number, last: number): void {
  if (last < first) return;
  db.statement("INSERT OR REPLACE INTO hidden_units (first, last, material_id) VALUES (?, ?, ?)").run(
    first,
    last,
    materialId,
  );
}

function* hideUnits(db: Database, materialId: string, numbers: number[]): Generator<undefined, void> {
  numbers.sort((a, b) => a - b);
  let first = 0;
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at] ?? 0;
    if (numbers[at + 1] === number + 1) continue;
    hideRange(db, materialId, numbers[first] ?? number, number);
    first = at + 1;
    yield;
  }
}

interface UnitRow {
  readonly unit_id: string;
  readonly unit_index: number;
  readonly number: number | null;
}

const ADD_MATERIAL =
  "INSERT INTO material (material_id, relative_path, current_content_hash) VALUES (?, ?, NULL)";
const UNITS = `
  SELECT search_unit.unit_id, unit_index, number FROM search_unit LEFT JOIN unit_number USING (unit_id)
  WHERE material_id = ? AND unit_type = 'chunk' AND unit_index > ? ORDER BY unit_index LIMIT 128`;
const LAST_NUMBER = "SELECT seq FROM sqlite_sequence WHERE name = 'unit_number'";
