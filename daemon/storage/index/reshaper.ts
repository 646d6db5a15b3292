import type { Log } from "../../runtime/log.ts";
import { createSlicer } from "../../runtime/yielding.ts";
import { needsReshaping, nextStale, reshapeWhole } from "./reshape.ts";
import type { Shelf } from "./shelf.ts";
import { runSliced, type Pace } from "./sliced.ts";
import type { OpenIndex } from "./store.ts";
import type { Upkeep } from "./upkeep.ts";

/** Brings the words of older indexes up to date in the background, a material at a time; the base goes on answering. */
export interface Reshaper {
  /** Begins, when this index needs it. */
  begin(index: OpenIndex): void;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
}

export function createReshaper(deps: {
  readonly shelf: () => Shelf;
  readonly upkeep: Upkeep;
  readonly pace: Pace;
  readonly log?: Log | undefined;
}): Reshaper {
  const { shelf, upkeep, pace, log } = deps;
  const running = new Map<string, Promise<void>>();

  const reshapeAll = async (baseId: string): Promise<void> => {
    const slicer = createSlicer(pace.sliceMs);
    let after: string | null = "";
    while (after !== null && !pace.stop.aborted) {
      after = await shelf().use(baseId, (index) => reshapeNext(index, after ?? ""));
      await slicer.pause();
    }
  };

  const reshapeNext = async (index: OpenIndex, after: string): Promise<string | null> => {
    const material = nextStale(index.db, after);
    if (!material) return null;
    await runSliced(index.db, reshapeWhole(index.db, material), pace);
    await upkeep.afterWrite(index);
    return material.material_id;
  };

  return {
    begin({ baseId, db }) {
      if (running.has(baseId) || !needsReshaping(db)) return;
      log?.info({ baseId }, "the words of an older index are brought up to date");
      const work = reshapeAll(baseId)
        .catch((error: unknown) => {
          // What is left is taken up at the next opening; a stop is no fault.
          if (!pace.stop.aborted)
            log?.error({ baseId, error: String(error) }, "words could not be brought up to date");
        })
        .finally(() => running.delete(baseId));
      running.set(baseId, work);
    },
    async settled() {
      await Promise.all(running.values());
    },
  };
}
