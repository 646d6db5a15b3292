import type { IngestDeps } from "./ingest/ingest-deps.ts";
import { collectGarbage } from "./runtime/collect-garbage.ts";
import { toKnowdError } from "./runtime/errors.ts";

export interface Maintenance {
  stop(): Promise<void>;
}

/** Housekeeping waits until nothing has happened for this long. */
const QUIET_MS = 3000;

/** Merges word-index segments, packs vectors and gives back disk space and memory, in small steps, while nothing else is to do. */
export function startMaintenance(
  deps: Pick<IngestDeps, "catalog" | "registry" | "log">,
  quietMs = QUIET_MS,
): Maintenance {
  const stopping = new AbortController();
  const isBusy = (): boolean => stopping.signal.aborted || deps.catalog.jobs.active() > 0;

  const round = async (): Promise<void> => {
    for (const base of deps.catalog.bases.all()) {
      while (!isBusy() && (await deps.registry.merge(base.id)));
      if (isBusy()) return;
      const { freedBytes } = await deps.registry.reclaim(base.id);
      if (freedBytes > 0) deps.log.info({ base: base.name, freedBytes }, "disk space was given back");
    }
  };

  const loop = async (): Promise<void> => {
    let seen = -1;
    while (!stopping.signal.aborted) {
      await pause(quietMs, stopping.signal);
      if (isBusy()) continue;
      try {
        await round();
        const last = deps.catalog.changes.lastSeq();
        if (last !== seen && !isBusy()) collectGarbage();
        seen = last;
      } catch (error) {
        deps.log.warn({ error: toKnowdError(error).message }, "housekeeping failed; it is tried again");
      }
    }
  };
  const looping = loop();
  return {
    async stop() {
      stopping.abort();
      await looping;
    },
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done, { once: true });
  });
}
