import Sqlite from "better-sqlite3";
import { createSlicer } from "../../runtime/yielding.ts";
import { isCorruption, type Database } from "../sqlite.ts";
import { RevisionRejected, type CommitOutcome, type MaterialRevision } from "./contract.ts";
import { hasSegments } from "./segments.ts";
import { runAtOnce, runSliced, type Pace } from "./sliced.ts";
import { addTally, applyTally, emptyTally } from "./tally.ts";
import { usesTrigrams } from "./trigram.ts";
import { createWordChanges } from "./words.ts";
import { rebuildMaterial } from "./write.ts";

/** A revision beyond either is written in slices inside a transaction of its own. A unit with trigrams costs eight times as much. */
const SMALL_UNITS = 24;
const SMALL_UNITS_WITH_TRIGRAMS = 4;
const SMALL_CHARS = 48_000;
/** What one transaction takes at most; the words of these units are written at its end, so they count before they cost. */
const GROUP_MATERIALS = 20;
const GROUP_CHARS = 64_000;

/**
 * Group commit: small revisions share a transaction, each is all or nothing. A rejected one takes nobody down; when
 * SQLite itself refuses a row, the group is written again one by one, so that only the culprit is left out.
 * `between` runs after each transaction, with none open. Throws only for a damaged file and when the registry stops.
 */
export async function commitRevisions(
  db: Database,
  revisions: readonly MaterialRevision[],
  pace: Pace,
  between: () => Promise<void>,
): Promise<CommitOutcome[]> {
  const outcomes: CommitOutcome[] = [];
  const slicer = createSlicer(pace.sliceMs);
  const maxUnits = usesTrigrams(db) ? SMALL_UNITS_WITH_TRIGRAMS : SMALL_UNITS;
  for (let at = 0; at < revisions.length; at = outcomes.length) {
    pace.stop.throwIfAborted();
    const group = pickGroup(db, revisions.slice(at, at + GROUP_MATERIALS), maxUnits);
    const [only] = revisions.slice(at, at + 1);
    if (group.length > 0) outcomes.push(...(await writeGroup(db, group, pace, () => slicer.yield())));
    else if (only) outcomes.push(await writeLarge(db, only, pace));
    await slicer.yield();
    await between();
  }
  return outcomes;
}

/** The small revisions in front that fit one transaction. */
function pickGroup(
  db: Database,
  revisions: readonly MaterialRevision[],
  maxUnits: number,
): MaterialRevision[] {
  let [units, chars] = [0, 0];
  const end = revisions.findIndex((revision, at) => {
    if (revision.units.length > maxUnits || revision.text.length > SMALL_CHARS) return true;
    // What takes the place of many segments has them all to put aside.
    if (hasSegments(db, revision.materialId)) return true;
    units += revision.units.length;
    chars += revision.text.length;
    return at > 0 && (units > 2 * maxUnits || chars > GROUP_CHARS);
  });
  return revisions.slice(0, end < 0 ? revisions.length : end);
}

async function writeLarge(db: Database, revision: MaterialRevision, pace: Pace): Promise<CommitOutcome> {
  return await outcomeOf(revision, pace, () => runSliced(db, wholeRevision(db, revision), pace));
}

function* wholeRevision(db: Database, revision: MaterialRevision): Generator<undefined, void> {
  const words = createWordChanges(db);
  const tally = yield* rebuildMaterial(db, words, revision);
  yield* words.steps();
  applyTally(db, tally);
}

/** Writes as many of the group as fit one slice, from the front; one outcome for each that was taken. */
async function writeGroup(
  db: Database,
  group: readonly MaterialRevision[],
  pace: Pace,
  yieldTurn: () => Promise<void>,
): Promise<CommitOutcome[]> {
  const outcomes: CommitOutcome[] = [];
  try {
    db.transaction(() => fillGroup(db, group, outcomes, createSlicer(pace.sliceMs / 2)));
    return outcomes;
  } catch (error) {
    if (isCorruption(error)) throw error;
    const taken = group.slice(0, outcomes.length + 1);
    if (isSystemError(error)) return taken.map(({ materialId }) => ({ materialId, error }));
    const alone: CommitOutcome[] = [];
    for (const revision of taken) {
      await yieldTurn();
      alone.push(
        await outcomeOf(revision, pace, () => db.transaction(() => runAtOnce(wholeRevision(db, revision)))),
      );
    }
    return alone;
  }
}

function fillGroup(
  db: Database,
  group: readonly MaterialRevision[],
  outcomes: CommitOutcome[],
  slice: { due(): boolean },
): void {
  const words = createWordChanges(db);
  const tally = emptyTally();
  for (const revision of group) {
    if (outcomes.length > 0 && slice.due()) break;
    try {
      addTally(tally, runAtOnce(rebuildMaterial(db, words, revision)));
      outcomes.push({ materialId: revision.materialId, error: null });
    } catch (error) {
      if (!(error instanceof RevisionRejected)) throw error;
      outcomes.push({ materialId: revision.materialId, error });
    }
  }
  runAtOnce(words.steps());
  applyTally(db, tally);
}

async function outcomeOf(
  { materialId }: MaterialRevision,
  pace: Pace,
  write: () => void | Promise<void>,
): Promise<CommitOutcome> {
  try {
    await write();
    return { materialId, error: null };
  } catch (error) {
    if (isCorruption(error) || !(error instanceof Error) || error === pace.stop.reason) throw error;
    return { materialId, error };
  }
}

/** A full disk, a failing disk, a locked file: no fault of a revision, and trying each alone would not help. */
function isSystemError(error: unknown): error is Error {
  return error instanceof Sqlite.SqliteError && !error.code.startsWith("SQLITE_CONSTRAINT");
}
