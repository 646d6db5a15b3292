import type { IndexRegistry } from "./contract.ts";
import { materialRow } from "./materials.ts";
import { renameAhead, renameMaterial } from "./rename.ts";
import { reshapeSome } from "./reshape.ts";
import { hasSegments } from "./segments.ts";
import type { Shelf } from "./shelf.ts";
import { runSliced, type Pace } from "./sliced.ts";
import type { OpenIndex } from "./store.ts";
import { applyTally } from "./tally.ts";
import type { Upkeep } from "./upkeep.ts";
import { createWordChanges } from "./words.ts";

/** In one sliced transaction; the words of a document of many segments follow its path, and others get their turn between. */
export function createIndexRename(shelf: Shelf, upkeep: Upkeep, pace: Pace): Pick<IndexRegistry, "rename"> {
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
    async rename(baseId, materialId, relativePath) {
      const more = await shelf.use(baseId, (index) => renameNow(index, materialId, relativePath));
      for (let after: number | null = more ? -1 : null; after !== null;) {
        const from: number = after;
        after = await shelf.use(baseId, (index) => reshapeNext(index, materialId, from));
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
