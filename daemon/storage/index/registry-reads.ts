import { createSlicer } from "../../runtime/yielding.ts";
import type { IndexRegistry } from "./contract.ts";
import { materialsAfter, textHashOf } from "./materials.ts";
import type { Shelf } from "./shelf.ts";
import type { Pace } from "./sliced.ts";
import { readCounts } from "./tally.ts";
import { hasVector } from "./vectors.ts";

const MATERIALS_PAGE = 256;

/** They take the lock too: inside a large commit's open transaction they would see what may yet be rolled back. */
export function createIndexReads(
  shelf: Shelf,
  pace: Pace,
): Pick<IndexRegistry, "open" | "missingVectors" | "materials" | "counts"> {
  return {
    open: (baseId) => shelf.use(baseId, () => undefined),
    missingVectors: (baseId, textHashes) =>
      shelf.use(baseId, async ({ db }) => {
        const slicer = createSlicer(pace.sliceMs);
        const missing: string[] = [];
        for (const hash of new Set(textHashes)) {
          if (!hasVector(db, hash)) missing.push(hash);
          await slicer.pause();
        }
        return missing;
      }),
    async materials(baseId, visit) {
      const slicer = createSlicer(pace.sliceMs);
      for (let after: string | null = ""; after !== null;) {
        const from: string = after;
        const page = await shelf.use(baseId, ({ db }) => materialsAfter(db, from, MATERIALS_PAGE));
        const seen = page.filter((row) => row.unseen === 0);
        if (seen.length > 0) {
          visit(seen.map((row) => ({ materialId: row.material_id, contentHash: textHashOf(row) })));
        }
        after = page.length < MATERIALS_PAGE ? null : (page.at(-1)?.material_id ?? null);
        await slicer.pause();
      }
    },
    async counts(baseId) {
      // The counters change in the same turn as their commit, so they may be read at any time.
      const open = shelf.slot(baseId).peek();
      return open ? readCounts(open.db) : await shelf.use(baseId, ({ db }) => readCounts(db));
    },
  };
}
