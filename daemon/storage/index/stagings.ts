import type { Log } from "../../runtime/log.ts";
import { RevisionRejected, type StagedHead, type StagedSegment, type Staging } from "./contract.ts";
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
  /** Ends the stagings of these materials: something else is about to be written in their place, or they are removed. */
  supersede(baseId: string, materialIds: readonly string[]): void;
}

export function createStagings(deps: {
  readonly shelf: () => Shelf;
  readonly upkeep: Upkeep;
  readonly pace: Pace;
  readonly log?: Log | undefined;
}): Stagings {
  const { shelf, upkeep, pace } = deps;
  /** Of each base and material the staging that may go on: the one that was begun last. */
  const live = new Map<string, Live>();
  const isLive = (baseId: string, materialId: string): boolean =>
    [...live.values()].some((one) => one.baseId === baseId && one.staged.id === materialId);
  const sweeper = createSweeper({ ...deps, isLive });

  /** In one transaction that is open over turns of the loop, while the base's lock is held. */
  const write = <T>(baseId: string, steps: (index: OpenIndex) => Generator<undefined, T>): Promise<T> =>
    shelf().use(baseId, async (index) => {
      const value = await runSliced(index.db, steps(index), pace);
      await upkeep.afterWrite(index);
      return value;
    });

  /** With the base's lock still held: it is live before anyone can sweep its first row away. */
  const begin = (baseId: string, head: StagedHead): Promise<Staged> =>
    shelf().use(baseId, async (index) => {
      const staged = await runSliced(index.db, beginWhole(index, head), pace);
      await upkeep.afterWrite(index);
      live.set(keyOf(baseId, head), { baseId, staged });
      return staged;
    });

  const refuseSuperseded = (baseId: string, staged: Staged): void => {
    if (live.get(keyOf(baseId, staged.head))?.staged !== staged)
      throw new RevisionRejected("it was written anew or removed meanwhile");
  };

  const end = (baseId: string, staged: Staged): void => {
    const key = keyOf(baseId, staged.head);
    if (live.get(key)?.staged === staged) live.delete(key);
    const index = shelf().slot(baseId).peek();
    if (index && !pace.stop.aborted) sweeper.sweep(index);
  };

  return {
    ...sweeper,
    async stage(baseId, head) {
      const staged = await begin(baseId, head);
      const writeTo = <T>(steps: (index: OpenIndex) => Generator<undefined, T>): Promise<T> =>
        write(baseId, (index) => {
          refuseSuperseded(baseId, staged);
          return steps(index);
        });
      return {
        add: (segment) => writeTo((index) => addWhole(index, staged, segment)),
        async commit() {
          const outcome = await writeTo((index) => commitWhole(index, staged));
          end(baseId, staged);
          return outcome;
        },
        discard: () => end(baseId, staged),
      };
    },
    supersede(baseId, materialIds) {
      for (const [key, one] of live)
        if (one.baseId === baseId && materialIds.includes(one.staged.head.materialId)) live.delete(key);
    },
  };
}

interface Live {
  readonly baseId: string;
  readonly staged: Staged;
}

function keyOf(baseId: string, { materialId }: StagedHead): string {
  return `${baseId} ${materialId}`;
}

function* beginWhole({ db }: OpenIndex, head: StagedHead): Generator<undefined, Staged> {
  const { staged, tally } = yield* beginStaging(db, head);
  applyTally(db, tally);
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
