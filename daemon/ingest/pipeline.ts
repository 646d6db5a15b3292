import { toKnowdError } from "../runtime/errors.ts";
import type { ClaimedJob } from "../storage/catalog/contract.ts";
import { planBatches } from "./batch-plan.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import { processBatch } from "./process-batch.ts";
import { workFor, type Work } from "./read-stage.ts";

/** Takes due index jobs through the worker host, a bounded number of batches at a time. */
export interface Pipeline {
  /** Files completed over the last five seconds, a second. */
  rate(): number;
  inFlight(): number;
  /** Resolves when none of these items is being worked on. */
  settledItems(ids: readonly string[]): Promise<void>;
  /** No new work of this base is taken, and what is in flight has ended, until the returned function is called. */
  pauseBase(baseId: string): Promise<() => void>;
  /** Claims nothing more; batches in flight end or are given back to the queue. */
  stop(): Promise<void>;
}

const RATE_WINDOW_MS = 5000;
/** After a fault of our own, the loop goes on this much later instead of spinning. */
const FAULT_PAUSE_MS = 1000;

export function startPipeline(deps: IngestDeps): Pipeline {
  const { queue, settings, log } = deps;
  const stopping = new AbortController();
  const batches = new Map<Promise<void>, readonly Work[]>();
  const paused = new Map<string, number>();
  const completions: { at: number; files: number }[] = [];
  const maxBatches = settings.threads + 1;

  const run = (batch: readonly Work[]): void => {
    const promise: Promise<void> = processBatch(deps, batch, stopping.signal)
      .then((files) => {
        if (files > 0) completions.push({ at: performance.now(), files });
      })
      .catch((error: unknown) => giveBack(deps, batch, error))
      .finally(() => {
        batches.delete(promise);
        queue.wake();
      });
    batches.set(promise, batch);
  };

  const claim = (suspects: boolean): ClaimedJob[] =>
    queue.claim({
      kind: "index",
      limit: suspects ? 1 : settings.batchFiles,
      suspects,
      basesExcluded: [...paused.keys()],
    });

  const step = (): boolean => {
    let jobs = claim(false);
    if (jobs.length === 0 && batches.size === 0) jobs = claim(true);
    if (jobs.length === 0) return false;
    const works = jobs.flatMap((job) => {
      const work = workFor(deps, job);
      if (!work) queue.finish([job.id]);
      return work ? [work] : [];
    });
    const limits = { files: settings.batchFiles, bytes: settings.batchBytes };
    for (const batch of planBatches(works, limits)) run(batch);
    return true;
  };

  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const suspectAlone = [...batches.values()].some((batch) => batch.some((work) => work.job.suspect));
      if (batches.size >= maxBatches || suspectAlone) {
        await Promise.race(batches.keys());
        continue;
      }
      if (!step()) await queue.waitForWork("index", stopping.signal);
    }
  };
  const looping = forever(loop, deps, stopping.signal);

  const settled = async (concerns: (work: Work) => boolean): Promise<void> => {
    for (;;) {
      const busy = [...batches].filter(([, batch]) => batch.some(concerns)).map(([promise]) => promise);
      if (busy.length === 0) return;
      await Promise.all(busy);
    }
  };

  return {
    rate() {
      const since = performance.now() - RATE_WINDOW_MS;
      while (completions[0] && completions[0].at < since) completions.shift();
      return completions.reduce((sum, entry) => sum + entry.files, 0) / (RATE_WINDOW_MS / 1000);
    },
    inFlight: () => [...batches.values()].reduce((sum, batch) => sum + batch.length, 0),
    settledItems(ids) {
      const wanted = new Set(ids);
      return settled((work) => wanted.has(work.item.id));
    },
    async pauseBase(baseId) {
      paused.set(baseId, (paused.get(baseId) ?? 0) + 1);
      await settled((work) => work.base.id === baseId);
      return () => {
        const left = (paused.get(baseId) ?? 1) - 1;
        if (left > 0) paused.set(baseId, left);
        else paused.delete(baseId);
        queue.wake();
      };
    },
    async stop() {
      stopping.abort();
      await Promise.all([looping, ...batches.keys()]);
      log.debug({}, "the pipeline has stopped");
    },
  };
}

/** A fault of ours in a batch (never a file's): the jobs go back, so that nothing is lost. */
function giveBack(deps: IngestDeps, batch: readonly Work[], error: unknown): void {
  const reason = toKnowdError(error);
  deps.log.error(
    { files: batch.length, error: reason.stack, data: reason.data },
    "a batch failed unexpectedly",
  );
  for (const work of batch) {
    if (deps.catalog.jobs.get(work.job.id)?.state !== "running") continue;
    if (deps.queue.retry(work.job, reason.message).again) continue;
    deps.catalog.items.fail(work.item.id, `knowd could not process it: ${reason.message}`);
    deps.queue.finish([work.job.id]);
  }
}

async function forever(loop: () => Promise<void>, deps: IngestDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await loop();
    } catch (error) {
      deps.log.error({ error: toKnowdError(error).stack }, "the pipeline's loop failed; it goes on");
      await new Promise((resolve) => setTimeout(resolve, FAULT_PAUSE_MS));
    }
  }
}
