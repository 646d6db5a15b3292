import type { Log } from "../../runtime/log.ts";
import { createSlicer } from "../../runtime/yielding.ts";
import type { Maintenance } from "./maintenance.ts";
import { mergeStep, readSegments, startCompaction, startUnion } from "./merge.ts";
import type { Database } from "../sqlite.ts";
import type { Pace } from "./sliced.ts";
import type { OpenIndex } from "./store.ts";
import { mergeTrigrams, usesTrigrams } from "./trigram.ts";
import { createVectorPacking, type VectorPacking } from "./vector-packs.ts";

/** What keeps an index fast while it is written to. Called with the base's lock held and no transaction open. */
export interface Upkeep {
  /** After each transaction: merges when there are too many segments, checkpoints when the log has grown. */
  afterWrite(index: OpenIndex): Promise<void>;
  /** One step of what can wait for idle moments; false when there is none left. */
  idleStep(index: OpenIndex): Promise<boolean>;
  /** Moves the log into the file; TRUNCATE also gives its space back. */
  checkpoint(index: OpenIndex, mode: "PASSIVE" | "TRUNCATE"): Promise<void>;
}

/** Each segment costs a look-up a query term; beyond the first number merging begins, and goes on down to the second. */
const MANY_SEGMENTS = 32;
const FEW_SEGMENTS = 16;
/** Pages of 4 KiB: 16 MiB. Index pages that are written again and again are moved only once a checkpoint. */
const LOG_PAGES = 4096;
/** In idle moments a much smaller log is moved too. */
const IDLE_LOG_PAGES = 256;
/**
 * 32 MiB. A log that searches read from while it is moved is not begun anew but goes on growing, so that a longer one is cut:
 * that waits for the searches under way. The promise is 64 MB (P25).
 */
const LONGEST_LOG_PAGES = 8192;
const TRIGRAM_PAGES = 64;

export function createUpkeep(deps: {
  readonly maintenance: Maintenance;
  readonly pace: Pace;
  readonly log?: Log | undefined;
}): Upkeep {
  const { maintenance, pace, log } = deps;
  /** Pages of a log that could not be cut, as somebody read from it all the time. */
  const uncut = new WeakMap<OpenIndex, number>();
  const packings = new WeakMap<Database, VectorPacking>();

  const packVectors = (db: Database): boolean => {
    const packing = packings.get(db) ?? createVectorPacking(db, pace.sliceMs / 2);
    packings.set(db, packing);
    return packing.step();
  };

  const checkpoint: Upkeep["checkpoint"] = async (index, mode) => {
    if (mode === "PASSIVE" && readLog(index).unmoved === 0) return;
    try {
      await maintenance.run({ kind: "checkpoint", path: index.db.path, mode });
    } catch (error) {
      // Nothing is lost: the log stays as it is, and the next write asks again.
      log?.warn({ baseId: index.baseId, error: String(error) }, "a checkpoint failed");
    }
  };

  /** Moves the log when more than so many pages wait for it, and cuts one that has grown too long all the same. */
  const moveLog = async (index: OpenIndex, mostUnmoved: number): Promise<void> => {
    const { pages, unmoved } = readLog(index);
    if (pages <= LONGEST_LOG_PAGES) uncut.delete(index);
    // Each try may wait for seconds: the next one comes when the log has grown by as much again.
    if (pages > LONGEST_LOG_PAGES + (uncut.get(index) ?? 0)) {
      await checkpoint(index, "TRUNCATE");
      uncut.set(index, readLog(index).pages);
    } else if (unmoved > mostUnmoved) await checkpoint(index, "PASSIVE");
  };

  const mergeDown = async (index: OpenIndex): Promise<void> => {
    const slicer = createSlicer(pace.sliceMs);
    while (!pace.stop.aborted && readSegments(index.db).segments > FEW_SEGMENTS && mergeStep(index.db)) {
      await slicer.yield();
    }
  };

  return {
    checkpoint,
    async afterWrite(index) {
      if (readSegments(index.db).segments > MANY_SEGMENTS) await mergeDown(index);
      await moveLog(index, LOG_PAGES);
    },
    async idleStep(index) {
      const { db } = index;
      if (
        mergeStep(db) ||
        startCompaction(db) ||
        startUnion(db) ||
        mergeSomeTrigrams(db) ||
        packVectors(db)
      ) {
        await moveLog(index, LOG_PAGES);
        return true;
      }
      await moveLog(index, IDLE_LOG_PAGES);
      return false;
    },
  };
}

function mergeSomeTrigrams(db: Database): boolean {
  return usesTrigrams(db) && mergeTrigrams(db, TRIGRAM_PAGES);
}

/** Pages of the log, and how many of them are not in the file yet. */
function readLog({ db }: OpenIndex): { pages: number; unmoved: number } {
  const [state] = db.raw.pragma("wal_checkpoint(NOOP)") as { log: number; checkpointed: number }[];
  return state ? { pages: state.log, unmoved: state.log - state.checkpointed } : { pages: 0, unmoved: 0 };
}
