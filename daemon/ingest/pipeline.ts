import { setMaxListeners } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { isDiskFull, toKnowdError } from "../runtime/errors.ts";
import { planBatches } from "./batch-plan.ts";
import { createInFlight, type InFlight } from "./in-flight.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import { processBatch } from "./process-batch.ts";
import { createRate, type Rate } from "./rate.ts";
import { dropJob, workFor, type Work } from "./read-stage.ts";

/** Takes due index jobs through the worker host, a bounded number of batches at a time. */
export interface Pipeline {
  /** Files completed over the last five seconds, a second. */
  rate(): number;
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
  const { queue, log } = deps;
  const stopping = new AbortController();
  // Each batch listens to it at each of its stages.
  setMaxListeners(0, stopping.signal);
  const inFlight = createInFlight();
  const rate = createRate(RATE_WINDOW_MS);
  const paused = new Map<string, number>();
  const state: LoopState = {
    inFlight,
    rate,
    paused,
    signal: stopping.signal,
    claimFiles: deps.settings.batchFiles,
  };
  const looping = Promise.all([
    forever(() => runShared(deps, state), deps, stopping.signal),
    forever(() => runSuspects(deps, state), deps, stopping.signal),
  ]);

  return {
    rate: () => rate.perSecond(),
    settledItems(ids) {
      const wanted = new Set(ids);
      return inFlight.settled((work) => wanted.has(work.item.id));
    },
    async pauseBase(baseId) {
      paused.set(baseId, (paused.get(baseId) ?? 0) + 1);
      await inFlight.settled((work) => work.base.id === baseId);
      return () => {
        const left = (paused.get(baseId) ?? 1) - 1;
        if (left > 0) paused.set(baseId, left);
        else paused.delete(baseId);
        queue.wake();
      };
    },
    async stop() {
      stopping.abort();
      await looping;
      await inFlight.settled(() => true);
      log.debug({}, "the pipeline has stopped");
    },
  };
}

interface LoopState {
  readonly inFlight: InFlight;
  readonly rate: Rate;
  /** Bases of which no work is claimed. */
  readonly paused: ReadonlyMap<string, number>;
  readonly signal: AbortSignal;
  /** Files to claim at once. Large files fill a batch each: then few are claimed, so that what is saved meanwhile overtakes. */
  claimFiles: number;
}

/** One more batch than there are threads: while one is written, no thread waits. */
async function runShared(deps: IngestDeps, state: LoopState): Promise<void> {
  const { inFlight, signal } = state;
  const maxBatches = deps.settings.threads + 1;
  while (!signal.aborted) {
    const free = maxBatches - inFlight.shared;
    if (free <= 0) await inFlight.oneEnded();
    else if (begin(deps, state, { suspects: false, batches: free }) === null) {
      await deps.queue.waitForWork("index", signal);
    }
  }
}

/** Suspects go one at a time, in a host of their own: they neither wait for the others nor hold them up. */
async function runSuspects(deps: IngestDeps, state: LoopState): Promise<void> {
  while (!state.signal.aborted) {
    const begun = begin(deps, state, { suspects: true, batches: 1 });
    if (begun === null) await deps.queue.waitForWork("index", state.signal);
    else await begun;
  }
}

/** Begins what is due and resolves when that has ended; null when there is nothing that may begin now. */
function begin(
  deps: IngestDeps,
  state: LoopState,
  room: { readonly suspects: boolean; readonly batches: number },
): Promise<unknown> | null {
  // Claiming writes too, and what is in flight needs room for its end.
  if (deps.disk.shortage() !== null) return null;
  const batches = deps.catalog.transaction(() => claimBatches(deps, state, room));
  if (batches === null) return null;
  return Promise.all(batches.map((batch) => run(deps, state, batch)));
}

/**
 * Claims what is due, ends what there is nothing to do for and puts back what is more than there is room for. Must run in a
 * transaction: what is claimed and then not begun would count as running for ever.
 */
function claimBatches(
  deps: IngestDeps,
  state: LoopState,
  room: { readonly suspects: boolean; readonly batches: number },
): Work[][] | null {
  const { queue } = deps;
  const limit = room.suspects ? 1 : state.claimFiles;
  const basesExcluded = [...state.paused.keys()];
  const jobs = queue.claim({ kind: "index", limit, suspects: room.suspects, basesExcluded });
  if (jobs.length === 0) return null;
  const works = jobs.flatMap((job) => {
    const work = workFor(deps, job);
    if (!work) dropJob(deps, job);
    return work ? [work] : [];
  });
  const { batchFiles, batchBytes } = deps.settings;
  const batches = planBatches(works, { files: batchFiles, bytes: batchBytes });
  const begun = batches.slice(0, room.batches);
  const left = batches.slice(room.batches).flat();
  for (const work of left) queue.release(work.job, 0);
  if (!room.suspects) {
    state.claimFiles = left.length > 0 ? Math.max(1, begun.flat().length) : Math.min(batchFiles, limit * 2);
  }
  return begun;
}

async function run(
  deps: IngestDeps,
  { inFlight, rate, paused, signal }: LoopState,
  batch: readonly Work[],
): Promise<void> {
  const done = processBatch(deps, batch, signal, (baseId) => paused.has(baseId))
    .then((files) => rate.add(files))
    .catch((error: unknown) => giveBack(deps, batch, error, signal))
    .finally(() => setImmediate(() => deps.queue.wake()));
  inFlight.add(batch, done);
  await done;
}

/**
 * A fault of ours in a batch (never a file's): the jobs go back, so that nothing is lost. A catalogue that takes no more is
 * waited for; when the daemon stops first, the next one finds the jobs running and takes them up.
 */
export async function giveBack(
  deps: IngestDeps,
  batch: readonly Pick<Work, "job">[],
  error: unknown,
  signal: AbortSignal,
): Promise<void> {
  if (!isDiskFull(error)) {
    const { stack, data } = toKnowdError(error);
    deps.log.error({ files: batch.length, error: stack, data }, "a batch failed unexpectedly");
  }
  for (let cause = error; ;) {
    try {
      deps.catalog.transaction(() => putBack(deps, batch, cause));
      return;
    } catch (refusal) {
      cause = refusal;
      if (isDiskFull(refusal)) deps.disk.refused();
      else deps.log.error({ error: toKnowdError(refusal).stack }, "jobs could not be given back; again soon");
      // An abort ends the wait; whether to go on is asked below.
      await delay(FAULT_PAUSE_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
    }
  }
}

function putBack(deps: IngestDeps, batch: readonly Pick<Work, "job">[], error: unknown): void {
  const reason = toKnowdError(error);
  for (const work of batch) {
    if (deps.catalog.jobs.get(work.job.id)?.state !== "running") continue;
    if (reason.errorName === "DISK_FULL") {
      deps.queue.release(work.job, 0);
      continue;
    }
    if (deps.queue.retry(work.job, reason.message).again) continue;
    deps.catalog.items.fail(work.job.itemId, `knowd could not process it: ${reason.message}`);
    deps.queue.finish([work.job.id]);
  }
}

async function forever(loop: () => Promise<void>, deps: IngestDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await loop();
    } catch (error) {
      if (isDiskFull(error)) deps.disk.refused();
      else deps.log.error({ error: toKnowdError(error).stack }, "the pipeline's loop failed; it goes on");
      await delay(FAULT_PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
