import type { Database } from "../sqlite.ts";

/** What a transaction changes in the counters of `stats`. */
export interface Tally {
  materials: number;
  units: number;
  /** Units taken away or numbered anew: the index's generation grows when there are any. */
  removed: number;
  /** Anything at all was written. */
  changed: boolean;
}

export function emptyTally(): Tally {
  return { materials: 0, units: 0, removed: 0, changed: false };
}

export function addTally(into: Tally, more: Readonly<Tally>): void {
  into.materials += more.materials;
  into.units += more.units;
  into.removed += more.removed;
  into.changed ||= more.changed;
}

/** Inside the transaction whose changes it counts. */
export function applyTally(db: Database, tally: Readonly<Tally>): void {
  if (!tally.changed) return;
  db.statement(
    "UPDATE stats SET materials = materials + ?, units = units + ?, generation = generation + ? WHERE id = 1",
  ).run(tally.materials, tally.units, tally.removed > 0 ? 1 : 0);
  db.statement("UPDATE meta SET updated_at = ? WHERE id = 1").run(Date.now());
}

export function readCounts(db: Database): { materials: number; units: number } {
  return db.statement("SELECT materials, units FROM stats WHERE id = 1").get() as {
    materials: number;
    units: number;
  };
}
