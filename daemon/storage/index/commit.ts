import Sqlite from "better-sqlite3";
import { createSlicer } from "../../runtime/yielding.ts";
import { isCorruption, type Database } from "../sqlite.ts";
import { RevisionRejected, type CommitOutcome, type MaterialRevision } from "./contract.ts";
import { runAtOnce, runSliced, type Pace } from "./sliced.ts";
import { addTally, applyTally, emptyTally } from "./tally.ts";
import { createWordChanges } from "./words.ts";
import { rebuildMaterial } from "./write.ts";

/** A revision beyond either is written in slices inside a transaction of its own. */
const SMALL_UNITS = 24;
const SMALL_CHARS = 48_000;
/** What one transaction takes at most; the words of these units are written at its end, so they count before they cost. */
const GROUP_MATERIALS = 20;
const GROUP_UNITS = 48;
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
  for (let at = 0; at < revisions.length; at = outcomes.length) {
    pace.stop.throwIfAborted();
    const first = revisions[at];
    if (first && isSmall(first))
      outcomes.push(...(await writeGroup(db, revisions.slice(at), pace, () => slicer.yield())));
    else if (first) outcomes.push(await writeLarge(db, first, pace));
    await slicer.yield();
    await between();
  }
  return outcomes;
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

/** Takes as many small revisions as fit one slice from the front; one outcome for each that was taken. */
async function writeGroup(
  db: Database,
  revisions: readonly MaterialRevision[],
  pace: Pace,
  yieldTurn: () => Promise<void>,
): Promise<CommitOutcome[]> {
  const outcomes: CommitOutcome[] = [];
  try {
    db.transaction(() => fillGroup(db, revisions, outcomes, createSlicer(pace.sliceMs / 2)));
    return outcomes;
  } catch (error) {
    if (isCorruption(error)) throw error;
    const taken = revisions.slice(0, outcomes.length + 1);
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
  revisions: readonly MaterialRevision[],
  outcomes: CommitOutcome[],
  slice: { due(): boolean },
): void {
  const words = createWordChanges(db);
  const tally = emptyTally();
  let [units, chars] = [0, 0];
  for (const revision of revisions.slice(0, GROUP_MATERIALS)) {
    units += revision.units.length;
    chars += revision.text.length;
    const full = units > GROUP_UNITS || chars > GROUP_CHARS || slice.due() || !isSmall(revision);
    if (full && outcomes.length > 0) break;
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

function isSmall(revision: MaterialRevision): boolean {
  return revision.units.length <= SMALL_UNITS && revision.text.length <= SMALL_CHARS;
}

/** A full disk, a failing disk, a locked file: no fault of a revision, and trying each alone would not help. */
function isSystemError(error: unknown): error is Error {
  return error instanceof Sqlite.SqliteError && !error.code.startsWith("SQLITE_CONSTRAINT");
}
