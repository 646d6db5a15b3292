import { createSlicer } from "../../runtime/yielding.ts";
import { isCorruption, type Database } from "../sqlite.ts";
import { checkIndex, DAMAGED } from "./check.ts";
import type { CheckReport, IndexRegistry } from "./contract.ts";
import type { Maintenance } from "./maintenance.ts";
import { isWorthReclaiming, readSpace, reclaimSteps } from "./reclaim.ts";
import type { Shelf } from "./shelf.ts";
import type { Pace } from "./sliced.ts";
import type { OpenIndex } from "./store.ts";
import type { Upkeep } from "./upkeep.ts";

export function createIndexUpkeep(
  shelf: Shelf,
  upkeep: Upkeep,
  maintenance: Maintenance,
  pace: Pace,
): Pick<IndexRegistry, "merge" | "reclaim" | "check"> {
  const reclaimNow = async (index: OpenIndex, force: boolean): Promise<{ freedBytes: number }> => {
    await upkeep.checkpoint(index, force ? "TRUNCATE" : "PASSIVE");
    const before = readSpace(index.db);
    if (!force && !isWorthReclaiming(before)) return { freedBytes: 0 };
    const slicer = createSlicer(pace.sliceMs);
    for (const _ of reclaimSteps(index.db)) {
      await slicer.pause();
      pace.stop.throwIfAborted();
    }
    await upkeep.checkpoint(index, "TRUNCATE");
    return { freedBytes: Math.max(0, before.fileBytes - readSpace(index.db).fileBytes) };
  };

  return {
    merge: (baseId) =>
      shelf.use(baseId, async (index) => {
        const more = await upkeep.idleStep(index);
        await createSlicer(pace.sliceMs).yield();
        return more;
      }),
    reclaim: (baseId, { force = false } = {}) => shelf.use(baseId, (index) => reclaimNow(index, force)),
    check: (baseId) =>
      shelf.use(baseId, async ({ db }) => {
        const report = await checkOrSayDamaged(db, maintenance, pace);
        const damage = report.problems.find((problem) => problem.kind === DAMAGED);
        if (damage) shelf.slot(baseId).makeAgain(`its file is damaged: ${damage.example ?? "unknown"}`);
        return report;
      }),
  };
}

async function checkOrSayDamaged(db: Database, maintenance: Maintenance, pace: Pace): Promise<CheckReport> {
  try {
    return await checkIndex(db, maintenance, pace);
  } catch (error) {
    if (!isCorruption(error)) throw error;
    const problems = [{ kind: DAMAGED, count: 1, example: (error as Error).message }];
    return { ok: false, problems, units: 0, vectors: 0 };
  }
}
