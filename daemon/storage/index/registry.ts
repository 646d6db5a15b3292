import { KnowdError } from "../../runtime/errors.ts";
import type { Log } from "../../runtime/log.ts";
import type { IndexRegistry } from "./contract.ts";
import { createMaintenance } from "./maintenance.ts";
import { createIndexReads } from "./registry-reads.ts";
import { createLatentIndex } from "./registry-latent.ts";
import { createIndexRename } from "./registry-rename.ts";
import { createIndexUpkeep } from "./registry-upkeep.ts";
import { createIndexWrites } from "./registry-writes.ts";
import { createReshaper } from "./reshaper.ts";
import { openShelf } from "./shelf.ts";
import type { Pace } from "./sliced.ts";
import { createStagings } from "./stagings.ts";
import type { OpenIndex } from "./store.ts";
import { trigramState } from "./trigram.ts";
import { createUpkeep } from "./upkeep.ts";

export interface IndexRegistryDeps {
  readonly dataDir: string;
  /** What one turn of the event loop may be held for, in milliseconds. */
  readonly sliceMs?: number;
  /** Told when an index was made again, empty: its material has to come in again. */
  readonly onRecreated: (baseId: string, reason: string) => void;
  /** Whether a base is to have trigrams: for an index that can't say so itself any more, or was cut off on the way there. */
  readonly substringOf?: (baseId: string) => boolean;
  readonly log?: Log;
  /** Page cache of each open index, in KiB. What is dirty in it is written by the commit: a large one makes commits long. */
  readonly cacheKiB?: number;
  /** How often an open file is looked at in its place, in milliseconds: a deleted one goes on taking writes. */
  readonly lookEveryMs?: number;
  /** The built maintenance thread; built code finds it by itself, null runs its tasks in line. */
  readonly maintenanceEntry?: URL | null;
}

export function openIndexRegistry(deps: IndexRegistryDeps): IndexRegistry {
  const { log } = deps;
  const stopping = new AbortController();
  const pace: Pace = { sliceMs: deps.sliceMs ?? 8, stop: stopping.signal };
  const maintenance = createMaintenance(deps.maintenanceEntry);
  const upkeep = createUpkeep({ maintenance, pace, log });
  const reshaper = createReshaper({ shelf: () => shelf, upkeep, pace, log });
  const stagings = createStagings({ shelf: () => shelf, upkeep, pace, log });
  const shelf = openShelf({
    dataDir: deps.dataDir,
    cacheKiB: deps.cacheKiB ?? 8192,
    lookEveryMs: deps.lookEveryMs ?? 1000,
    stop: stopping.signal,
    substringOf: deps.substringOf ?? (() => false),
    onRecreated: deps.onRecreated,
    onOpened: (index) => {
      reshaper.begin(index);
      followSubstring(index);
      stagings.sweep(index);
    },
    log,
  });

  const writes = createIndexWrites(shelf, upkeep, pace, stagings);
  /** Takes up what a stop or a crash has left of `setSubstring`. */
  const followSubstring = ({ baseId, db }: OpenIndex): void => {
    const wanted = deps.substringOf?.(baseId);
    if (wanted === undefined || trigramState(db) === (wanted ? "in use" : "unused")) return;
    writes.setSubstring(baseId, wanted).catch((error: unknown) => {
      // What is left is taken up at the next opening; a stop is no fault.
      if (!stopping.signal.aborted)
        log?.error({ baseId, error: String(error) }, "trigrams could not be filled or dropped");
    });
  };

  return {
    indexPath: (baseId) => shelf.layout(baseId).index,
    rawPath: (baseId) => shelf.layout(baseId).raw,
    state: (baseId) => shelf.slot(baseId).state,
    setState(baseId, state) {
      shelf.slot(baseId).state = state;
    },
    create: (baseId, options) => shelf.withSlot(baseId, (slot) => slot.create(options)),
    recreate: (baseId, reason) => shelf.withSlot(baseId, (slot) => void slot.makeAgain(reason)),
    destroy: (baseId) => shelf.withSlot(baseId, (slot) => slot.destroy()),
    runExclusive: (baseId, fn) => shelf.lock.run(baseId, fn),
    ...createIndexReads(shelf, pace),
    ...writes,
    ...createIndexRename(shelf, upkeep, pace),
    latent: createLatentIndex(shelf, upkeep, pace),
    stage: (baseId, head) => stagings.stage(baseId, head),
    ...createIndexUpkeep(shelf, upkeep, maintenance, pace),
    async close() {
      stopping.abort(new KnowdError("STOPPING"));
      await reshaper.settled();
      await stagings.settled();
      await shelf.close();
      await maintenance.close();
    },
  };
}
