import { createSlicer, type Slicer } from "../../runtime/yielding.ts";
import type { Database } from "../sqlite.ts";
import { materialRow } from "./materials.ts";
import { collectOrphans, nothingReleased } from "./orphans.ts";
import { takeSegment } from "./segments.ts";
import { runAtOnce } from "./sliced.ts";
import { applyTally, emptyTally, type Tally } from "./tally.ts";
import { removeUnit, unitsOf } from "./units.ts";
import { forgetStaging } from "./unseen.ts";
import { createWordChanges, type WordChanges } from "./words.ts";

/**
 * One short transaction of a removal (K8.6): takes materials from the front of `pending` while the slice lasts. A material
 * that does not fit is left as a tombstone (no current content) with the rest of its units, and stays in front. Whatever
 * the removed rows alone used goes in the same transaction, so a crash leaves no orphan and repeating is safe (K8.8).
 */
export function removeSome(db: Database, pending: string[], sliceMs: number): void {
  // The word index's rows are removed at the end of the transaction, and then it commits: together over half of the time.
  const slice = createSlicer(sliceMs * 0.35);
  db.transaction(() => {
    const words = createWordChanges(db);
    const tally = emptyTally();
    while (pending.length > 0) {
      const [materialId] = pending;
      if (materialId !== undefined && !cutMaterial(db, words, materialId, { slice, tally })) break;
      pending.shift();
      if (slice.due()) break;
    }
    runAtOnce(words.steps());
    applyTally(db, tally);
  });
}

/** False when the slice was over before the last unit was gone. */
function cutMaterial(
  db: Database,
  words: WordChanges,
  materialId: string,
  { slice, tally }: { slice: Slicer; tally: Tally },
): boolean {
  const material = materialRow(db, materialId);
  if (!material) return true;
  tally.changed = true;
  const released = nothingReleased();
  if (material.current_content_hash !== null) {
    released.contents.add(material.current_content_hash);
    db.statement("UPDATE material SET current_content_hash = NULL WHERE material_id = ?").run(materialId);
  }
  let whole = true;
  for (const unit of unitsOf(db, materialId)) {
    // Looked at before a unit is cut: the transaction that takes the last one must take the text too.
    if (slice.due() && tally.removed > 0) {
      whole = false;
      break;
    }
    removeUnit(db, words, unit, released);
    tally.units--;
    tally.removed++;
  }
  runAtOnce(collectOrphans(db, released));
  if (!whole) return false;
  // Each holds a row of a megabyte, so they go one by one too.
  for (let hash = takeSegment(db, materialId); hash !== null; hash = takeSegment(db, materialId)) {
    tally.removed++;
    runAtOnce(collectOrphans(db, { contents: new Set([hash]), vectors: new Set() }));
    if (slice.due()) return false;
  }
  forgetStaging(db, materialId);
  db.statement("DELETE FROM material_words WHERE material_id = ?").run(materialId);
  db.statement("DELETE FROM material WHERE material_id = ?").run(materialId);
  tally.materials--;
  return true;
}
