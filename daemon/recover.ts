import type { Job } from "../rpc/contract/jobs.ts";
import { dropCutOffImports } from "./ingest/place-material.ts";
import type { IngestDeps } from "./ingest/ingest-deps.ts";
import { INTERRUPTED, resumesOnlyOnWord, sayInterrupted } from "./ingest/paid-work.ts";
import { queueIndex } from "./ingest/queue-index.ts";
import { queuePurge } from "./ingest/remove-items.ts";
import { PRIORITY } from "./queue/queue.ts";

export interface Recovery {
  /** Jobs that were in flight when the last daemon ended, and wait again. */
  readonly jobs: number;
  /** Items that were in flight, or not queued yet. */
  readonly items: number;
  /** Jobs that wait for a word because embedding costs money. */
  readonly parked: number;
}

/** K4.6: after a crash nothing stays in flight, nothing is lost, and nothing is paid for without a word. */
export function recover(deps: IngestDeps): Recovery {
  const { catalog } = deps;
  for (const base of catalog.bases.all()) dropLeftovers(deps, base.id);
  return catalog.transaction(() => {
    const jobs = catalog.jobs.recover(deps.now());
    const inFlight = catalog.items.recoverInFlight();
    // What has its job keeps that one, with the attempts and crashes that it has behind it.
    const unqueued = catalog.items.idleWithoutJob();
    queueIndex(deps, [...catalog.items.many(unqueued).values()], PRIORITY.bulk);
    for (const base of catalog.bases.all()) queuePurge(deps, base.id, deps.now());
    const parked = catalog.closedCleanly ? 0 : park(deps);
    return { jobs, items: new Set([...inFlight, ...unqueued]).size, parked };
  });
}

/** What can't be taken away is in nobody's way: the daemon starts all the same. */
function dropLeftovers(deps: IngestDeps, baseId: string): void {
  try {
    dropCutOffImports(deps, baseId);
  } catch (error) {
    deps.log.warn({ baseId, error: String(error) }, "half-written files could not be taken away");
  }
}

/** All work of bases with a paid model, also what had only been queued: it belongs to the run that was interrupted. */
function park(deps: IngestDeps): number {
  const { catalog } = deps;
  const interrupted = catalog.bases
    .all()
    .filter((base) => resumesOnlyOnWord(deps, base.embeddingModelId))
    .flatMap((base) => queuedJobs(deps, base.id));
  const items = catalog.items.many(interrupted.map((job) => job.itemId));
  catalog.jobs.park(
    interrupted.map((job) => job.id),
    INTERRUPTED,
  );
  for (const item of items.values()) sayInterrupted(deps, item);
  return interrupted.length;
}

function queuedJobs({ catalog }: IngestDeps, baseId: string): Job[] {
  const jobs: Job[] = [];
  let cursor: string | undefined;
  do {
    const page = catalog.jobs.list({ baseIds: [baseId], state: "queued", limit: 100, cursor });
    // What a processor is asked for goes on to be embedded.
    jobs.push(...page.items.filter((job) => job.kind !== "delete"));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return jobs;
}
