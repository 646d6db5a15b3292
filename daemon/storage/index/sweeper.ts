import { KnowdError } from "../../runtime/errors.ts";
import type { Log } from "../../runtime/log.ts";
import { createSlicer } from "../../runtime/yielding.ts";
import { removeSome } from "./remove.ts";
import type { Shelf } from "./shelf.ts";
import type { Pace } from "./sliced.ts";
import type { OpenIndex } from "./store.ts";
import { unseenMaterials } from "./unseen.ts";
import type { Upkeep } from "./upkeep.ts";

/** Removes in the background what is unseen and not being staged: what a commit, a discard or a crash has left. */
export interface Sweeper {
  sweep(index: OpenIndex): void;
  /** Resolves when nothing is being removed. */
  settled(): Promise<void>;
}

export function createSweeper(deps: {
  readonly shelf: () => Shelf;
  readonly upkeep: Upkeep;
  readonly pace: Pace;
  readonly isLive: (baseId: string, materialId: string) => boolean;
  readonly log?: Log | undefined;
}): Sweeper {
  const { shelf, upkeep, pace, isLive, log } = deps;
  const running = new Map<string, Promise<void>>();

  const leftover = ({ baseId, db }: OpenIndex): string | undefined =>
    unseenMaterials(db).find((id) => !isLive(baseId, id));

  /** Asks anew each time: what was left may be the place of a new staging by now. */
  const step = async (index: OpenIndex): Promise<boolean> => {
    const id = leftover(index);
    if (id === undefined) {
      // In the same turn: who leaves something from now on begins a removal of its own.
      running.delete(index.baseId);
      return false;
    }
    removeSome(index.db, [id], pace.sliceMs);
    await upkeep.afterWrite(index);
    return true;
  };

  const sweepAll = async (baseId: string): Promise<void> => {
    const slicer = createSlicer(pace.sliceMs);
    try {
      for (let more = true; more && !pace.stop.aborted; await slicer.yield()) {
        more = await shelf().use(baseId, step);
      }
    } catch (error) {
      // What is left is taken up at the next opening; a stop or the end of the base is no fault.
      const ended = error instanceof KnowdError && error.errorName === "BASE_NOT_FOUND";
      if (!pace.stop.aborted && !ended)
        log?.warn({ baseId, error: String(error) }, "leftovers could not be removed");
    }
  };

  return {
    sweep(index) {
      const { baseId } = index;
      if (running.has(baseId) || leftover(index) === undefined) return;
      const work = shelf()
        .lock.outside(() => sweepAll(baseId))
        .finally(() => {
          if (running.get(baseId) === work) running.delete(baseId);
        });
      running.set(baseId, work);
    },
    async settled() {
      await Promise.all(running.values());
    },
  };
}
