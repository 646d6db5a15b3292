import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Item } from "../../rpc/contract/items.ts";
import { displayPath, toSystemPath } from "../../workers/path-bytes.ts";
import { type ProcessingProgress, ProcessingFailure, type Processor } from "../processing/processor.ts";
import { PRIORITY } from "../queue/queue.ts";
import { isDiskFull, toKnowdError } from "../runtime/errors.ts";
import { OPEN_FLAGS } from "../runtime/open-flags.ts";
import type { ClaimedJob } from "../storage/catalog/contract.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import { giveBack } from "./pipeline.ts";
import { isBlank, storeMarkdown } from "./processed-markdown.ts";
import { processorFor } from "./processing-stage.ts";
import { queueIndex } from "./queue-index.ts";
import { dropJob } from "./read-stage.ts";

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
/** A file that changed while it was processed, or can't be opened right now, is tried again after this long. */
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

/** What fails on our side, a full disk above all, gives the job back: left running, it would keep its item for ever. */
async function processJob(deps: IngestDeps, job: ClaimedJob, run: Run): Promise<void> {
  try {
    await attempt(deps, job, run);
  } catch (error) {
    if (isDiskFull(error)) deps.disk.refused();
    await giveBack(deps, [{ job }], error, run.stop);
  } finally {
    run.running.delete(job.id);
  }
}

async function attempt(deps: IngestDeps, job: ClaimedJob, run: Run): Promise<void> {
  const { catalog } = deps;
  const item = catalog.items.get(job.itemId);
  const base = item && catalog.bases.get(item.baseId);
  if (!item || !base || item.status === "deleting" || item.missingSince !== null) return dropJob(deps, job);
  const processor = processorFor(deps, base, item);
  // It was taken out of the base or of the configuration meanwhile: without it the file is what it was before.
  if (processor === null) return queueReading(deps, { job, item }, deps.now());
  catalog.items.setStatus([item.id], "processing");
  try {
    await processItem(deps, { job, item, processor }, run);
  } catch (error) {
    if (isDiskFull(error)) throw error;
    settleFailure(deps, { job, item, processor }, error, run.stop);
  }
}

interface Task {
  readonly job: ClaimedJob;
  readonly item: Item;
  readonly processor: Processor;
}

async function processItem(deps: IngestDeps, { job, item, processor }: Task, run: Run): Promise<void> {
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
  const made = await watched(deps, job, run.stop, async (signal) => {
    const byteHash = await hashOf(file, signal);
    if (byteHash === null) return null;
    const name = displayPath(path.basename(place));
    const markdown = await processor
      .run({ file, name, signal, onProgress: note })
      .catch((error: unknown) => ({ error }));
    // What was made of bytes that are not there any more says nothing of the file, and neither does a failure with them.
    if ((await hashOf(file, signal)) !== byteHash) return null;
    if ("error" in markdown) throw markdown.error;
    if (isBlank(markdown)) throw new ProcessingFailure("permanent", "it found no text");
    return { markdown, byteHash };
  });
  if (made === null) return queueReading(deps, { job, item }, deps.now() + CHANGED_DELAY_MS);
  await storeMarkdown(deps, item, made.markdown, {
    // Cancelled, or deleted with its item or base: nothing may be written there any more.
    isWanted: () => isRunning(deps, job),
    keep: (markdownId) =>
      deps.catalog.transaction(() => {
        const { byteHash } = made;
        deps.catalog.processed.put(item.id, { byteHash, processorId: processor.id, markdownId });
        queueReading(deps, { job, item }, deps.now(), PRIORITY.interactive);
      }),
  });
}

function isRunning({ catalog }: IngestDeps, job: ClaimedJob): boolean {
  return catalog.jobs.get(job.id)?.state === "running";
}

/** The file's own job goes on with it: it reads what was made of it, or says what is in the way. */
function queueReading(
  deps: IngestDeps,
  { job, item }: Pick<Task, "job" | "item">,
  runAfter: number,
  priority: number = PRIORITY.bulk,
): void {
  deps.catalog.transaction(() => {
    if (!isRunning(deps, job)) return;
    deps.catalog.items.setStatus([item.id], "idle");
    deps.queue.finish([job.id]);
    queueIndex(deps, [item], priority, runAfter);
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
    if (!isRunning(deps, job)) cancelled.abort();
  }, WATCH_MS).unref();
  try {
    return await fn(AbortSignal.any([stop, cancelled.signal]));
  } finally {
    clearInterval(timer);
  }
}

const READ_BYTES = 1024 * 1024;

/** Null when there is no file that can be read. */
async function hashOf(file: string | Buffer, signal: AbortSignal): Promise<string | null> {
  try {
    const handle = await open(file, OPEN_FLAGS);
    try {
      if (!(await handle.stat()).isFile()) return null;
      const hash = createHash("sha256");
      const buffer = Buffer.allocUnsafe(READ_BYTES);
      for (;;) {
        signal.throwIfAborted();
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
        if (bytesRead === 0) return hash.digest("hex");
        hash.update(buffer.subarray(0, bytesRead));
      }
    } finally {
      await handle.close();
    }
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

/** K8.5: a revision that answers goes on answering, and says why it is old. */
function settleFailure(
  deps: IngestDeps,
  { job, item, processor }: Task,
  error: unknown,
  stop: AbortSignal,
): void {
  const { catalog, queue, log } = deps;
  const message = `${processor.id}: ${error instanceof Error ? error.message : String(error)}`;
  const failure = error instanceof ProcessingFailure ? error : null;
  const isFinal = catalog.transaction(() => {
    if (!isRunning(deps, job)) return false;
    catalog.items.setStatus([item.id], "idle");
    if (stop.aborted) {
      queue.release(job, 0);
      return false;
    }
    const mayPass = failure?.kind !== "permanent";
    if (mayPass && queue.retry(job, message, failure?.retryAfterMs ?? null).again) return false;
    if (catalog.items.get(item.id)?.contentHash != null) catalog.items.setRefreshError(item.id, message);
    else catalog.items.fail(item.id, message, { failure: "processing" });
    queue.finish([job.id]);
    return true;
  });
  if (isFinal) log.warn({ item: item.conceptId, error: message }, "a file could not be processed");
}
