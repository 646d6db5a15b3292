import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Item } from "../../rpc/contract/items.ts";
import { displayPath, toSystemPath } from "../../workers/path-bytes.ts";
import { type ProcessingProgress, ProcessingFailure, type Processor } from "../processing/processor.ts";
import { isDiskFull, toKnowdError } from "../runtime/errors.ts";
import type { ClaimedJob } from "../storage/catalog/contract.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import { storeMarkdown } from "./processed-markdown.ts";
import { processorFor } from "./processing-stage.ts";
import { queueIndex } from "./queue-index.ts";
import { PRIORITY } from "../queue/queue.ts";

/** A file in processing, for status. */
export interface InProcessing extends ProcessingProgress {
  readonly itemId: string;
  readonly conceptId: string;
  readonly processorId: string;
  readonly since: number;
}

/** Runs processors on the files that wait for one: a few at a time, beside the pipeline, which they never hold up. */
export interface ProcessLoop {
  running(): InProcessing[];
  /** Ends what runs: it begins anew with the next daemon. */
  stop(): Promise<void>;
}

/** How often a running processor's job is looked at: it may have been cancelled, or its item deleted. */
const WATCH_MS = 500;
const FAULT_PAUSE_MS = 1000;
/** A file that changed while it was processed is tried again after this long. */
const CHANGED_DELAY_MS = 1000;

export function startProcessLoop(deps: IngestDeps, maxConcurrent: number): ProcessLoop {
  const stopping = new AbortController();
  const running = new Map<number, InProcessing>();
  const lanes = Array.from({ length: maxConcurrent }, async () => {
    while (!stopping.signal.aborted) {
      try {
        const [job] =
          deps.disk.shortage() === null
            ? deps.queue.claim({ kind: "process", limit: 1, suspects: false, basesExcluded: [] })
            : [];
        if (job === undefined) await deps.queue.waitForWork("process", stopping.signal);
        else await processJob(deps, job, { stop: stopping.signal, running });
      } catch (error) {
        if (isDiskFull(error)) deps.disk.refused();
        else
          deps.log.error({ error: toKnowdError(error).stack }, "processing failed unexpectedly; it goes on");
        await delay(FAULT_PAUSE_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
  });

  return {
    running: () => [...running.values()],
    async stop() {
      stopping.abort();
      await Promise.all(lanes);
    },
  };
}

interface Run {
  readonly stop: AbortSignal;
  readonly running: Map<number, InProcessing>;
}

async function processJob(deps: IngestDeps, job: ClaimedJob, run: Run): Promise<void> {
  const { catalog, queue } = deps;
  const item = catalog.items.get(job.itemId);
  const base = item && catalog.bases.get(item.baseId);
  if (!item || !base || item.status === "deleting" || item.missingSince !== null)
    return queue.finish([job.id]);
  const processor = processorFor(deps, base, item);
  if (processor === null) {
    // It was taken out of the base or of the configuration meanwhile: without it the file is what it was before.
    catalog.transaction(() => {
      queue.finish([job.id]);
      queueIndex(deps, [item], PRIORITY.bulk);
    });
    return;
  }
  catalog.items.setStatus([item.id], "processing");
  try {
    await processItem(deps, { job, item, processor }, run);
  } catch (error) {
    settleFailure(deps, { job, item, processor }, error, run.stop);
  } finally {
    run.running.delete(job.id);
  }
}

interface Task {
  readonly job: ClaimedJob;
  readonly item: Item;
  readonly processor: Processor;
}

async function processItem(deps: IngestDeps, { job, item, processor }: Task, run: Run): Promise<void> {
  const { catalog, queue } = deps;
  const place = item.path ?? path.join(deps.registry.rawPath(item.baseId), item.conceptId);
  const file = item.path === null ? place : toSystemPath(place);
  const since = deps.now();
  const note = (progress: ProcessingProgress): void => {
    run.running.set(job.id, {
      ...progress,
      itemId: item.id,
      conceptId: item.conceptId,
      processorId: processor.id,
      since,
    });
  };
  note({ done: 0, total: null });
  const before = await hashOf(file);
  const markdown = await watched(deps, job, run.stop, (signal) =>
    processor.run({ file, name: displayPath(path.basename(place)), signal, onProgress: note }),
  );
  if (markdown.trim() === "") throw new ProcessingFailure("permanent", "it found no text");
  if ((await hashOf(file)) !== before) return queue.release(job, CHANGED_DELAY_MS);
  // Cancelled, or its base deleted: nothing may be written there any more.
  if (catalog.jobs.get(job.id)?.state !== "running") return;
  const markdownId = await storeMarkdown(deps, item, markdown);
  catalog.transaction(() => {
    if (catalog.jobs.get(job.id)?.state !== "running") return;
    catalog.processed.put(item.id, { byteHash: before, processorId: processor.id, markdownId });
    catalog.items.setStatus([item.id], "idle");
    queue.finish([job.id]);
    queueIndex(deps, [item], PRIORITY.interactive);
  });
}

/** Runs `fn` with a signal that aborts with the daemon's stop, and when the job is no longer there. */
async function watched<T>(
  deps: IngestDeps,
  job: ClaimedJob,
  stop: AbortSignal,
  fn: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const cancelled = new AbortController();
  const timer = setInterval(() => {
    if (deps.catalog.jobs.get(job.id)?.state !== "running") cancelled.abort();
  }, WATCH_MS).unref();
  try {
    return await fn(AbortSignal.any([stop, cancelled.signal]));
  } finally {
    clearInterval(timer);
  }
}

async function hashOf(file: string | Buffer): Promise<string> {
  const hash = createHash("sha256");
  for await (const bytes of createReadStream(file)) hash.update(bytes as Buffer);
  return hash.digest("hex");
}

/** K8.5: a revision that answers goes on answering, and says why it is old. */
function settleFailure(
  { catalog, queue, log }: IngestDeps,
  { job, item, processor }: Task,
  error: unknown,
  stop: AbortSignal,
): void {
  if (catalog.jobs.get(job.id)?.state !== "running") return;
  if (stop.aborted) {
    catalog.items.setStatus([item.id], "idle");
    return queue.release(job, 0);
  }
  const message = `${processor.id}: ${error instanceof Error ? error.message : String(error)}`;
  const isPermanent = error instanceof ProcessingFailure && error.kind === "permanent";
  if (!isPermanent && queue.retry(job, message).again) {
    catalog.items.setStatus([item.id], "idle");
    return;
  }
  log.warn({ item: item.conceptId, error: message }, "a file could not be processed");
  catalog.transaction(() => {
    if (catalog.items.get(item.id)?.contentHash != null) catalog.items.setRefreshError(item.id, message);
    else catalog.items.fail(item.id, message, { failure: "processing" });
    queue.finish([job.id]);
  });
  return undefined;
}
