import { randomUUID } from "node:crypto";
import type { PreparedUnit } from "../../../workers/contract.ts";
import { encodeUnitJson } from "../../../workers/search/unit-json.ts";
import { WORDS_VERSION } from "../../../workers/words/shape.ts";
import type { Database } from "../sqlite.ts";
import { RevisionRejected, type StagedHead, type StagedSegment } from "./contract.ts";
import { encodeNames, freePath, materialRow, putShape } from "./materials.ts";
import { collectOrphans, nothingReleased } from "./orphans.ts";
import { countLines, moveSegments, putDocument, putSegment } from "./segments.ts";
import { emptyTally, type Tally } from "./tally.ts";
import { addUnit, inKeyOrder, refuseUnsound, vectorHash } from "./units.ts";
import { addUnseen, forgetStaging, hideRange, isUnseen, lastNumber, setAside } from "./unseen.ts";
import { coverUnits, followVector, storeVector } from "./vectors.ts";
import type { WordChanges } from "./words.ts";

/** A revision that is being staged, as far as it has come. */
export interface Staged {
  readonly head: StagedHead;
  /** What its rows stand under: the material's own id where no revision answers, else one of its own. */
  readonly id: string;
  segments: number;
  chars: number;
  /** Line ends so far. */
  lines: number;
  units: number;
}

/** Makes room for a revision; what another staging or a removal has left of the material is put out of the way. */
export function* beginStaging(
  db: Database,
  head: StagedHead,
): Generator<undefined, { staged: Staged; tally: Tally }> {
  const tally = emptyTally();
  const before = materialRow(db, head.materialId);
  const answers = before?.current_content_hash != null;
  const id = answers ? `staged-${randomUUID()}` : head.materialId;
  if (before && !answers) yield* setAside(db, head.materialId, () => false, tally);
  if (!before || answers) tally.materials++;
  const path = answers ? `staged/${id}` : head.relativePath;
  freePath(db, path, id);
  db.statement(PUT_MATERIAL).run(id, path);
  addUnseen(db, id);
  tally.changed = true;
  return { staged: { head, id, segments: 0, chars: 0, lines: 0, units: 0 }, tally };
}

/**
 * Writes the next segment. Units that the revision before has too are kept as they are: the same chunk of the same text;
 * where only its title, its place in words or its vector differ, these are brought up to date at once. `words.steps()`
 * must follow in the same transaction, and `advance` when that has ended well.
 */
export function* addSegment(
  db: Database,
  words: WordChanges,
  staged: Staged,
  segment: StagedSegment,
): Generator<undefined, Tally> {
  if (!isUnseen(db, staged.id)) throw new RevisionRejected("the index was made again while it was written");
  refuseUnsound(segment);
  if (segment.units.some(({ unitIndex }, at) => unitIndex !== staged.units + at))
    throw new RevisionRejected("the indexes of its chunks do not run on");
  const fresh = yield* coverUnits(db, segment);
  db.statement(ADD_CONTENT).run(segment.contentHash, segment.text);
  putSegment(db, staged.id, {
    seq: staged.segments,
    content_hash: segment.contentHash,
    char_start: staged.chars,
    chars: segment.text.length,
    line_start: staged.lines + 1,
    unit_start: staged.units,
  });
  for (const [hash, vector] of inKeyOrder([...fresh], ([key]) => key)) {
    storeVector(db, hash, vector);
    yield;
  }
  const tally = emptyTally();
  tally.changed = true;
  const added = yield* keepKnown(db, words, staged, segment, tally);
  const before = lastNumber(db);
  for (const unit of inKeyOrder(added, ({ unitId }) => unitId)) {
    const owner = { materialId: staged.id, contentHash: segment.contentHash, text: segment.text };
    addUnit(db, words, owner, unit, { vectorHash: vectorHash(segment, unit), tally });
    yield;
  }
  hideRange(db, staged.id, before + 1, lastNumber(db));
  return tally;
}

export function advance(staged: Staged, { text, units }: StagedSegment): void {
  staged.segments++;
  staged.chars += text.length;
  staged.lines += countLines(text);
  staged.units += units.length;
}

/** Answers the units that are not there yet. */
function* keepKnown(
  db: Database,
  words: WordChanges,
  { id, head }: Staged,
  segment: StagedSegment,
  tally: Tally,
): Generator<undefined, PreparedUnit[]> {
  if (id === head.materialId) return [...segment.units];
  const before = materialRow(db, head.materialId);
  const wordsStay =
    before?.relative_path === head.relativePath &&
    before.format === head.format &&
    before.names === encodeNames(head.names) &&
    before.words_version === WORDS_VERSION;
  const released = nothingReleased();
  const added: PreparedUnit[] = [];
  const kept: number[] = [];
  for (const unit of segment.units) {
    const known = db.statement(KNOWN).get(unit.unitId, head.materialId) as KnownUnit | undefined;
    if (!known) {
      added.push(unit);
      continue;
    }
    kept.push(unit.unitIndex);
    const json = encodeUnitJson(unit.headings, unit.locator);
    const old = followVector(db, unit.unitId, vectorHash(segment, unit));
    if (old) released.vectors.add(old);
    if (!wordsStay || known.title !== unit.title || known.locator_json !== json) {
      db.statement(RETITLE).run(unit.title, json, unit.unitId);
      words.remove(unit.unitId);
      words.add(unit.unitId, unit.wordsTitle, unit.wordsBody);
      tally.removed++;
    }
    yield;
  }
  yield* collectOrphans(db, released);
  for (const [first, last] of rangesOf(kept)) db.statement(ADD_KEPT).run(id, first, last);
  return added;
}

/**
 * Puts the staged revision in the place of the one before, in the transaction that the caller holds open: what the latter
 * alone has is set aside and removed later. One unit a step.
 */
export function* commitStaging(
  db: Database,
  { head, id, units }: Staged,
): Generator<undefined, { contentHash: string; units: number; tally: Tally }> {
  const tally = emptyTally();
  tally.changed = true;
  const { materialId, relativePath, format, names } = head;
  if (!isUnseen(db, id)) throw new RevisionRejected("the index was made again while it was written");
  if (units === 0) throw new RevisionRejected("it has no chunks");
  if (id !== materialId) {
    const kept = db
      .statement("SELECT first, last FROM kept_units WHERE material_id = ? ORDER BY first")
      .all(id);
    yield* setAside(db, materialId, staysIn(kept as { first: number; last: number }[]), tally);
    yield* moveUnits(db, id, materialId);
    moveSegments(db, id, materialId);
  }
  forgetStaging(db, id);
  if (id !== materialId) {
    db.statement("DELETE FROM material WHERE material_id = ?").run(id);
    tally.materials--;
  }
  const document = putDocument(db, materialId);
  if (!document) throw new RevisionRejected("it has no text");
  freePath(db, relativePath, materialId);
  db.statement("UPDATE material SET relative_path = ?, current_content_hash = ? WHERE material_id = ?").run(
    relativePath,
    document.first,
    materialId,
  );
  putShape(db, materialId, format, encodeNames(names));
  return { contentHash: document.contentHash, units, tally };
}

function* moveUnits(db: Database, from: string, to: string): Generator<undefined, void> {
  const move = db.statement(MOVE);
  while (move.run(to, from).changes > 0) yield;
}

/** Asked in the order of unit indexes. */
function staysIn(
  ranges: readonly { first: number; last: number }[],
): (unit: { unit_index: number }) => boolean {
  let at = 0;
  return ({ unit_index }) => {
    while ((ranges[at]?.last ?? Infinity) < unit_index) at++;
    return (ranges[at]?.first ?? Infinity) <= unit_index;
  };
}

function rangesOf(ascending: readonly number[]): [number, number][] {
  const ranges: [number, number][] = [];
  for (const number of ascending) {
    const last = ranges.at(-1);
    if (last && last[1] + 1 === number) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}

interface KnownUnit {
  readonly title: string;
  readonly locator_json: string | null;
}

const PUT_MATERIAL = `
  INSERT INTO material (material_id, relative_path, current_content_hash) VALUES (?, ?, NULL)
  ON CONFLICT (material_id) DO UPDATE SET relative_path = excluded.relative_path, current_content_hash = NULL`;
const ADD_CONTENT = "INSERT INTO content (content_hash, text) VALUES (?, ?) ON CONFLICT DO NOTHING";
const KNOWN = "SELECT title, locator_json FROM search_unit WHERE unit_id = ? AND material_id = ?";
const RETITLE = "UPDATE search_unit SET title = ?, locator_json = ? WHERE unit_id = ?";
const ADD_KEPT = "INSERT INTO kept_units (material_id, first, last) VALUES (?, ?, ?)";
const MOVE = `
  UPDATE search_unit SET material_id = ? WHERE unit_id IN (
    SELECT unit_id FROM search_unit WHERE material_id = ? LIMIT 64)`;
