import type { Log } from "../../runtime/log.ts";
import { createSlicer } from "../../runtime/yielding.ts";
import { materialRow } from "./materials.ts";
import { needsReshaping, nextStale, reshapeSome, reshapeWhole } from "./reshape.ts";
import { hasSegments } from "./segments.ts";
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

/** The material that was looked at last; in the middle of a long one, its unit that was. */
interface Place {
  readonly material: string;
  readonly unit: number | null;
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
    let at: Place | null = { material: "", unit: null };
    while (at !== null && !pace.stop.aborted) {
      const from: Place = at;
      at = await shelf().use(baseId, (index) => reshapeNext(index, from));
      await slicer.pause();
    }
  };

  const reshapeNext = async (index: OpenIndex, from: Place): Promise<Place | null> => {
    const next = from.unit === null ? nextStale(index.db, from.material)?.material_id : from.material;
    if (next === undefined) return null;
    const place = await reshapeOne(index, next, from.unit ?? -1);
    await upkeep.afterWrite(index);
    return place;
  };

  const reshapeOne = async ({ db }: OpenIndex, id: string, afterUnit: number): Promise<Place> => {
    if (hasSegments(db, id))
      return { material: id, unit: await runSliced(db, reshapeSome(db, id, afterUnit), pace) };
    const material = materialRow(db, id);
    if (material) await runSliced(db, reshapeWhole(db, material), pace);
    return { material: id, unit: null };
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
