import { createSlicer } from "../../runtime/yielding.ts";
import { commitRevisions } from "./commit.ts";
import type { IndexRegistry } from "./contract.ts";
import { dropVectors } from "./drop-vectors.ts";
import { removeSome } from "./remove.ts";
import type { Shelf } from "./shelf.ts";
import type { Pace } from "./sliced.ts";
import { dropTrigrams, fillTrigrams, usesTrigrams } from "./trigram.ts";
import type { Stagings } from "./stagings.ts";
import type { Upkeep } from "./upkeep.ts";

/** Long ones give the lock back between two transactions, so that others get their turn. */
export function createIndexWrites(
  shelf: Shelf,
  upkeep: Upkeep,
  pace: Pace,
  stagings: Pick<Stagings, "supersede" | "sweep">,
): Pick<IndexRegistry, "commit" | "dropVectors" | "remove" | "setSubstring"> {
  /** Whether a base is to have trigrams: a call that works towards the contrary gives up. */
  const lastWord = new Map<string, boolean>();

  return {
    commit: (baseId, revisions) =>
      shelf.use(baseId, async (index) => {
        stagings.supersede(
          baseId,
          revisions.map(({ materialId }) => materialId),
        );
        const outcomes = await commitRevisions(index.db, revisions, pace, () => upkeep.afterWrite(index));
        stagings.sweep(index);
        return outcomes;
      }),
    async remove(baseId, materialIds, { signal } = {}) {
      const slicer = createSlicer(pace.sliceMs);
      const pending = [...materialIds];
      while (pending.length > 0) {
        await shelf.use(
          baseId,
          async (index) => {
            stagings.supersede(baseId, pending);
            removeSome(index.db, pending, pace.sliceMs);
            await slicer.yield();
            await upkeep.afterWrite(index);
          },
          { signal },
        );
      }
    },
    async dropVectors(baseId) {
      const slicer = createSlicer(pace.sliceMs);
      for (let more = true; more; await slicer.yield()) {
        more = await shelf.use(baseId, async (index) => {
          const left = dropVectors(index.db, createSlicer(pace.sliceMs));
          await upkeep.afterWrite(index);
          return left;
        });
      }
    },
    async setSubstring(baseId, substring) {
      const slicer = createSlicer(pace.sliceMs);
      lastWord.set(baseId, substring);
      for (let more = true; more; await slicer.yield()) {
        more = await shelf.use(baseId, async (index) => {
          if (lastWord.get(baseId) !== substring || (substring && usesTrigrams(index.db))) return false;
          const left = substring
            ? fillTrigrams(index.db, createSlicer(pace.sliceMs))
            : dropTrigrams(index.db);
          await upkeep.afterWrite(index);
          return left;
        });
      }
    },
  };
}
