import { createSlicer } from "../../runtime/yielding.ts";
import { commitRevisions } from "./commit.ts";
import type { IndexRegistry } from "./contract.ts";
import { materialRow } from "./materials.ts";
import { removeSome } from "./remove.ts";
import { renameAhead, renameMaterial } from "./rename.ts";
import { reshapeSome } from "./reshape.ts";
import { hasSegments } from "./segments.ts";
import type { Shelf } from "./shelf.ts";
import { runSliced, type Pace } from "./sliced.ts";
import { applyTally } from "./tally.ts";
import { dropTrigrams, fillTrigrams, usesTrigrams } from "./trigram.ts";
import type { Upkeep } from "./upkeep.ts";
import { createWordChanges } from "./words.ts";
import type { OpenIndex } from "./store.ts";

/** Long ones give the lock back between two transactions, so that others get their turn. */
export function createIndexWrites(
  shelf: Shelf,
  upkeep: Upkeep,
  pace: Pace,
  sweep: (index: OpenIndex) => void,
): Pick<IndexRegistry, "commit" | "remove" | "rename" | "setSubstring"> {
  /** Whether a base is to have trigrams: a call that works towards the contrary gives up. */
  const lastWord = new Map<string, boolean>();
  /** Answers whether the words are still to follow. */
  const renameNow = async (index: OpenIndex, materialId: string, relativePath: string): Promise<boolean> => {
    if (materialRow(index.db, materialId)?.relative_path === relativePath) return false;
    if (hasSegments(index.db, materialId)) {
      index.db.transaction(() => renameAhead(index.db, materialId, relativePath));
      return true;
    }
    await runSliced(index.db, renameWhole(index, materialId, relativePath), pace);
    await upkeep.afterWrite(index);
    return false;
  };
  const reshapeNext = async (index: OpenIndex, materialId: string, after: number): Promise<number | null> => {
    const last = await runSliced(index.db, reshapeSome(index.db, materialId, after), pace);
    await upkeep.afterWrite(index);
    return last;
  };

  return {
    commit: (baseId, revisions) =>
      shelf.use(baseId, async (index) => {
        const outcomes = await commitRevisions(index.db, revisions, pace, () => upkeep.afterWrite(index));
        sweep(index);
        return outcomes;
      }),
    async remove(baseId, materialIds, { signal } = {}) {
      const slicer = createSlicer(pace.sliceMs);
      const pending = [...materialIds];
      while (pending.length > 0) {
        await shelf.use(
          baseId,
          async (index) => {
            removeSome(index.db, pending, pace.sliceMs);
            await slicer.yield();
            await upkeep.afterWrite(index);
          },
          { signal },
        );
      }
    },
    async rename(baseId, materialId, relativePath) {
      const more = await shelf.use(baseId, (index) => renameNow(index, materialId, relativePath));
      for (let after: number | null = more ? -1 : null; after !== null;) {
        const from: number = after;
        after = await shelf.use(baseId, (index) => reshapeNext(index, materialId, from));
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

function* renameWhole(
  { db }: OpenIndex,
  materialId: string,
  relativePath: string,
): Generator<undefined, void> {
  const words = createWordChanges(db);
  const tally = yield* renameMaterial(db, words, materialId, relativePath);
  yield* words.steps();
  applyTally(db, tally);
}
