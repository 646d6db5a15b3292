import type { Log } from "../../runtime/log.ts";
import type { StagedHead, StagedSegment, Staging } from "./contract.ts";
import type { Shelf } from "./shelf.ts";
import { runSliced, type Pace } from "./sliced.ts";
import { addSegment, advance, beginStaging, commitStaging, type Staged } from "./staging.ts";
import type { OpenIndex } from "./store.ts";
import { createSweeper, type Sweeper } from "./sweeper.ts";
import { applyTally } from "./tally.ts";
import type { Upkeep } from "./upkeep.ts";
import { createWordChanges } from "./words.ts";

/** Revisions that come segment by segment, and the removal of what they leave behind. */
export interface Stagings extends Sweeper {
  stage(baseId: string, head: StagedHead): Promise<Staging>;
}

export function createStagings(deps: {
  readonly shelf: () => Shelf;
  readonly upkeep: Upkeep;
  readonly pace: Pace;
  readonly log?: Log | undefined;
}): Stagings {
  const { shelf, upkeep, pace } = deps;
  /** Unseen materials that are being written, by `<base id> <material id>`. */
  const live = new Set<string>();
  const isLive = (baseId: string, materialId: string): boolean => live.has(`${baseId} ${materialId}`);
  const sweeper = createSweeper({ ...deps, isLive });

  /** In one transaction that is open over turns of the loop, while the base's lock is held. */
  const write = <T>(baseId: string, steps: (index: OpenIndex) => Generator<undefined, T>): Promise<T> =>
    shelf().use(baseId, async (index) => {
      const value = await runSliced(index.db, steps(index), pace);
      await upkeep.afterWrite(index);
      return value;
    });

  const end = (baseId: string, { id }: Staged): void => {
    live.delete(`${baseId} ${id}`);
    const index = shelf().slot(baseId).peek();
    if (index && !pace.stop.aborted) sweeper.sweep(index);
  };

  return {
    ...sweeper,
    async stage(baseId, head) {
      const staged = await write(baseId, (index) => beginWhole(index, head, live));
      return {
        add: (segment) => write(baseId, (index) => addWhole(index, staged, segment)),
        async commit() {
          const outcome = await write(baseId, (index) => commitWhole(index, staged));
          end(baseId, staged);
          return outcome;
        },
        discard: () => end(baseId, staged),
      };
    },
  };
}

/** It is live from its first row on, or it would be swept away. */
function* beginWhole(
  { baseId, db }: OpenIndex,
  head: StagedHead,
  live: Set<string>,
): Generator<undefined, Staged> {
  const { staged, tally } = yield* beginStaging(db, head);
  applyTally(db, tally);
  live.add(`${baseId} ${staged.id}`);
  return staged;
}

function* addWhole({ db }: OpenIndex, staged: Staged, segment: StagedSegment): Generator<undefined, void> {
  const words = createWordChanges(db);
  const tally = yield* addSegment(db, words, staged, segment);
  yield* words.steps();
  applyTally(db, tally);
  // Nothing but the commit follows; when that fails, the staging is given up.
  advance(staged, segment);
}

function* commitWhole(
  { db }: OpenIndex,
  staged: Staged,
): Generator<undefined, { contentHash: string; units: number }> {
  const { tally, ...outcome } = yield* commitStaging(db, staged);
  applyTally(db, tally);
  return outcome;
}
