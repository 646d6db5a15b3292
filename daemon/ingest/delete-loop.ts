import { lstat, rmdir } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Item } from "../../rpc/contract/items.ts";
import { toKnowdError } from "../runtime/errors.ts";
import { createSlicer } from "../runtime/yielding.ts";
import type { ClaimedJob } from "../storage/catalog/contract.ts";
import { mayHaveCopy, removeFile } from "./copy-material.ts";
import { removeEmptyFolders } from "./empty-folders.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import { queuePurge } from "./remove-items.ts";
import type { Pipeline } from "./pipeline.ts";

/** Items purged between two looks at the stop signal, and rows of one transaction. */
const SLICE = 192;
const ROWS_PER_TRANSACTION = 64;
const SLICE_MS = 8;
const RETRY_MS = 2000;
/** There is no such folder, something else stands there, or it is not empty: all of it is fine (K5.5). */
const NOT_REMOVED: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR", "ENOTEMPTY", "EEXIST"]);

export interface DeleteLoop {
  stop(): Promise<void>;
}

/**
 * Carries out deletes that were begun: the items' jobs are gone already and their state is `deleting`, so each step may
 * be repeated (K8.8) and a crash only means that the same job is claimed again.
 */
export function startDeleteLoop(deps: IngestDeps, pipeline: Pipeline): DeleteLoop {
  const stopping = new AbortController();
  const { queue, log } = deps;

  const pause = async (): Promise<void> => {
    // An abort ends the wait; each caller asks whether to go on.
    await delay(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
  };

  /** A catalogue that takes nothing is waited for; when the daemon stops first, the next one takes the job up. */
  const putBack = async (job: ClaimedJob, delayMs: number): Promise<void> => {
    for (;;) {
      try {
        deps.catalog.transaction(() => {
          queue.finish([job.id]);
          queuePurge(deps, job.baseId, deps.now() + delayMs);
        });
        return;
      } catch (error) {
        log.warn({ base: job.baseId, error: toKnowdError(error).message }, "a delete could not be put off");
        await pause();
        if (stopping.signal.aborted) return;
      }
    }
  };

  const purgeJob = async (job: ClaimedJob): Promise<void> => {
    try {
      const finished = await purgeBase(deps, pipeline, job.baseId, stopping.signal);
      if (finished) queue.finish([job.id]);
      else await putBack(job, 0);
    } catch (error) {
      log.warn(
        { base: job.baseId, error: toKnowdError(error).message },
        "a delete did not finish; it is tried again",
      );
      await putBack(job, RETRY_MS);
    }
  };

  const round = async (): Promise<void> => {
    const jobs = queue.claim({ kind: "delete", limit: 50, suspects: false, basesExcluded: [] });
    for (const job of jobs) await purgeJob(job);
    if (jobs.length === 0) await queue.waitForWork("delete", stopping.signal);
  };

  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await round();
      } catch (error) {
        log.warn(
          { error: toKnowdError(error).message },
          "deletes wait: the catalogue takes nothing right now",
        );
        await pause();
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

/**
 * Purges all of a base's deleting items, leaves first. What can't be purged holds up nothing but what it stands in. False
 * when it was asked to stop in between. Throws the first reason when something is left.
 */
async function purgeBase(
  deps: IngestDeps,
  pipeline: Pipeline,
  baseId: string,
  signal: AbortSignal,
): Promise<boolean> {
  const stuck = new Map<string, unknown>();
  let emptied: Item[] = [];
  for (;;) {
    const next = emptied.splice(0, SLICE);
    const doomed = next.length > 0 ? next : deps.catalog.items.deleting(baseId, SLICE, [...stuck.keys()]);
    if (doomed.length === 0) break;
    if (signal.aborted) return false;
    const purged = await purgeItems(deps, pipeline, baseId, doomed);
    for (const [id, reason] of purged.stuck) stuck.set(id, reason);
    emptied = [...emptied, ...purged.emptied];
  }
  for (const reason of stuck.values()) throw reason;
  return true;
}

interface Purged {
  /** Those whose own files could not be removed, with the reason. */
  readonly stuck: ReadonlyMap<string, unknown>;
  /** Deleting directories that hold nothing any more: looked for, all others would be looked at with each of them. */
  readonly emptied: readonly Item[];
}

async function purgeItems(
  deps: IngestDeps,
  pipeline: Pipeline,
  baseId: string,
  items: readonly Item[],
): Promise<Purged> {
  await pipeline.settledItems(items.map((item) => item.id));
  const leaves = items.filter((item) => item.type !== "directory");
  await deps.registry.remove(
    baseId,
    leaves.map((item) => item.id),
  );
  const stuck = new Map<string, unknown>();
  for (const item of items) {
    try {
      const raw = deps.registry.rawPath(baseId);
      if (item.path === null || mayHaveCopy(deps, item)) await removeOwned(raw, item);
      const markdownId = deps.catalog.processed.get(item.id)?.markdownId;
      if (markdownId !== undefined) await removeOwned(raw, { type: "file", conceptId: markdownId });
    } catch (error) {
      stuck.set(item.id, error);
    }
  }
  const gone = items.filter((item) => !stuck.has(item.id));
  return { stuck, emptied: await removeRows(deps, baseId, gone) };
}

/** Answers the deleting directories that were emptied by it. */
async function removeRows(deps: IngestDeps, baseId: string, items: readonly Item[]): Promise<Item[]> {
  const { catalog } = deps;
  const slicer = createSlicer(SLICE_MS);
  const parents = new Set(items.flatMap((item) => item.groupId ?? []));
  for (let at = 0; at < items.length; at += ROWS_PER_TRANSACTION) {
    const slice = items.slice(at, at + ROWS_PER_TRANSACTION);
    const ids = slice.map((item) => item.id);
    catalog.transaction(() => {
      catalog.ledger.removeItems(ids);
      catalog.items.remove(ids);
      removeEmptyFolders(
        catalog,
        slice.map((item) => item.groupId),
      );
      queuePurge(deps, baseId, deps.now());
    });
    await slicer.yield();
  }
  const childless = catalog.items.many(catalog.items.childless([...parents]));
  return [...childless.values()].filter((item) => item.status === "deleting");
}

/** K5.5: only the item's own path, then its parents as far as they are empty. */
async function removeOwned(rawPath: string, item: Pick<Item, "type" | "conceptId">): Promise<void> {
  let current = path.join(rawPath, item.conceptId);
  if (item.type === "directory") await removeIfEmpty(current);
  else await removeFile(current);
  for (
    current = path.dirname(current);
    current.startsWith(rawPath + path.sep);
    current = path.dirname(current)
  ) {
    if (!(await removeIfEmpty(current)) && (await exists(current))) return;
  }
}

/** False when there is no folder, or one that holds something. */
async function removeIfEmpty(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch (error) {
    if (NOT_REMOVED.has((error as NodeJS.ErrnoException).code)) return false;
    throw error;
  }
}

async function exists(target: string): Promise<boolean> {
  return await lstat(target).then(
    () => true,
    () => false,
  );
}
