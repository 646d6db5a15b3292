import { createSlicer } from "../../runtime/yielding.ts";
import type { LatentIndex } from "./contract.ts";
import {
  addVectors,
  beginBasis,
  dropOldBases,
  readBasis,
  readLatent,
  swapBasis,
  sweepVectors,
} from "./latent.ts";
import type { Shelf } from "./shelf.ts";
import { runSliced, type Pace } from "./sliced.ts";
import type { OpenIndex } from "./store.ts";
import type { Upkeep } from "./upkeep.ts";

/** Each call holds the base's lock for a few slices only, so that indexing gets its turns in between. */
export function createLatentIndex(shelf: Shelf, upkeep: Upkeep, pace: Pace): LatentIndex {
  const write = <T>(baseId: string, steps: (index: OpenIndex) => Generator<undefined, T>): Promise<T> =>
    shelf.use(baseId, async (index) => {
      const value = await runSliced(index.db, steps(index), pace);
      await upkeep.afterWrite(index);
      return value;
    });

  return {
    state: (baseId) => shelf.use(baseId, ({ db }) => readLatent(db)),
    basis: (baseId, version) => shelf.use(baseId, ({ db }) => readBasis(db, version)),
    begin: (baseId, basis) => write(baseId, ({ db }) => beginBasis(db, basis)),
    add: (baseId, version, page) => write(baseId, ({ db }) => addVectors(db, version, page)),
    swap: (baseId, version) => shelf.use(baseId, ({ db }) => db.transaction(() => swapBasis(db, version))),
    async sweep(baseId) {
      const slicer = createSlicer(pace.sliceMs);
      for (let after: number | null = 0; after !== null; await slicer.yield()) {
        const from: number = after;
        after = await shelf.use(baseId, async (index) => {
          const next = index.db.transaction(() => sweepVectors(index.db, from));
          await upkeep.afterWrite(index);
          return next;
        });
      }
      await write(baseId, ({ db }) => dropOldBases(db));
    },
  };
}
