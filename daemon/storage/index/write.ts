import type { PreparedUnit } from "../../../workers/contract.ts";
import { encodeUnitJson } from "../../../workers/search/unit-json.ts";
import { WORDS_VERSION } from "../../../workers/words/shape.ts";
import type { Database } from "../sqlite.ts";
import type { MaterialRevision } from "./contract.ts";
import { encodeNames, freePath, materialRow, putShape, type MaterialRow } from "./materials.ts";
import { collectOrphans, nothingReleased } from "./orphans.ts";
import { emptyTally, type Tally } from "./tally.ts";
import {
  addUnit,
  inKeyOrder,
  refuseUnsound,
  removeUnit,
  unitsOf,
  vectorHash,
  type StoredUnit,
} from "./units.ts";
import { setAside } from "./unseen.ts";
import { coverUnits, followVector, storeVector } from "./vectors.ts";
import type { WordChanges } from "./words.ts";

/**
 * Replaces all of one material (K8.4), one row or so a step, inside the transaction that the caller holds open. What is
 * wrong with the revision itself is thrown (RevisionRejected) before the first write. Units that are equal to stored ones
 * stay as they are, so an equal revision writes nothing. `words.steps()` must follow in the same transaction.
 */
export function* rebuildMaterial(
  db: Database,
  words: WordChanges,
  revision: MaterialRevision,
): Generator<undefined, Tally> {
  refuseUnsound(revision);
  const fresh = yield* coverUnits(db, revision);
  const before = materialRow(db, revision.materialId);
  const tally = emptyTally();
  if (before && (before.document_hash !== null || before.unseen === 1)) {
    const wanted = new Set(revision.units.map(({ unitId }) => unitId));
    yield* setAside(db, revision.materialId, ({ unit_id }) => wanted.has(unit_id), tally);
  }
  if (!before || !sameHead(before, revision)) {
    writeHead(db, revision);
    tally.changed = true;
    if (!before) tally.materials = 1;
  }
  const released = nothingReleased();
  if (before?.current_content_hash && before.current_content_hash !== revision.contentHash) {
    released.contents.add(before.current_content_hash);
  }
  for (const [hash, vector] of inKeyOrder([...fresh], ([key]) => key)) {
    storeVector(db, hash, vector);
    tally.changed = true;
    yield;
  }
  const kept = before
    ? yield* keepEqual(db, words, revision, before, { tally, released })
    : new Set<string>();
  for (const unit of inKeyOrder(revision.units, ({ unitId }) => unitId)) {
    if (kept.has(unit.unitId)) continue;
    addUnit(db, words, revision, unit, { vectorHash: vectorHash(revision, unit), tally });
    yield;
  }
  yield* collectOrphans(db, released);
  return tally;
}

/** Removes what the revision no longer has; answers the ids of the units that stay. */
function* keepEqual(
  db: Database,
  words: WordChanges,
  revision: MaterialRevision,
  before: MaterialRow,
  { tally, released }: { tally: Tally; released: ReturnType<typeof nothingReleased> },
): Generator<undefined, Set<string>> {
  const kept = new Set<string>();
  const wanted = new Map(revision.units.map((unit) => [unit.unitId, unit]));
  const wordsStay =
    before.relative_path === revision.relativePath &&
    before.format === revision.format &&
    before.names === encodeNames(revision.names) &&
    before.words_version === WORDS_VERSION;
  for (const stored of unitsOf(db, revision.materialId)) {
    const unit = wanted.get(stored.unit_id);
    if (wordsStay && unit && isEqual(stored, unit, revision.contentHash)) {
      kept.add(unit.unitId);
      const old = followVector(db, unit.unitId, vectorHash(revision, unit));
      if (old !== undefined) tally.changed = true;
      if (old) released.vectors.add(old);
    } else {
      removeUnit(db, words, stored, released);
      tally.units--;
      tally.removed++;
      tally.changed = true;
    }
    yield;
  }
  return kept;
}

function writeHead(db: Database, revision: MaterialRevision): void {
  const { materialId, relativePath, contentHash, text, format, names } = revision;
  db.statement(ADD_CONTENT).run(contentHash, text);
  freePath(db, relativePath, materialId);
  db.statement(PUT_MATERIAL).run(materialId, relativePath, contentHash);
  putShape(db, materialId, format, encodeNames(names));
}

function sameHead(before: MaterialRow, revision: MaterialRevision): boolean {
  return (
    before.relative_path === revision.relativePath &&
    before.current_content_hash === revision.contentHash &&
    before.document_hash === null &&
    before.unseen === 0 &&
    before.format === revision.format &&
    before.names === encodeNames(revision.names) &&
    before.words_version === WORDS_VERSION
  );
}

function isEqual(stored: StoredUnit, unit: PreparedUnit, contentHash: string): boolean {
  return (
    stored.content_hash === contentHash &&
    stored.unit_index === unit.unitIndex &&
    stored.char_start === unit.charStart &&
    stored.char_end === unit.charEnd &&
    stored.title === unit.title &&
    stored.locator_json === encodeUnitJson(unit.headings, unit.locator)
  );
}

const ADD_CONTENT = "INSERT INTO content (content_hash, text) VALUES (?, ?) ON CONFLICT DO NOTHING";
const PUT_MATERIAL = `
  INSERT INTO material (material_id, relative_path, current_content_hash) VALUES (?, ?, ?)
  ON CONFLICT (material_id) DO UPDATE SET
    relative_path = excluded.relative_path, current_content_hash = excluded.current_content_hash`;
