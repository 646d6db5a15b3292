import type { Base } from "../../rpc/contract/bases.ts";
import type { PreparedDocument, ReadOutcome } from "../../workers/contract.ts";
import type { EmbeddingModel } from "../embedding/provider.ts";
import { PRIORITY } from "../queue/queue.ts";
import { createSlicer } from "../runtime/yielding.ts";
import { planBatches } from "./batch-plan.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import { INTERRUPTED, sayInterrupted } from "./paid-work.ts";
import { processorFor } from "./processing-stage.ts";
import { forgetBytes } from "./queue-index.ts";
import { readBatch, type Work, workFor } from "./read-stage.ts";

export interface Rebuilding {
  /** Items that are read again, since nothing has to be paid for them. */
  readonly queued: number;
  /** Items that wait for a person's word. */
  readonly parked: number;
}

const ITEMS_PER_TRANSACTION = 64;
const TEXTS_PER_LOOK = 64;
const SLICE_MS = 8;

/**
 * K4.6, K8.2: rebuilds what an index with a paid model has lost, as far as nothing has to be paid for. All is parked first, so
 * that a crash pays for nothing; then each file is read, and goes on when the vectors of its texts are at hand.
 */
export async function rebuildUnpaid(
  deps: IngestDeps,
  base: Base,
  model: EmbeddingModel,
  ids: readonly string[],
): Promise<Rebuilding> {
  const held = await holdAll(deps, base, ids);
  const { batchFiles, batchBytes } = deps.settings;
  let queued = 0;
  for (const works of inSlices(held, ITEMS_PER_TRANSACTION)) {
    for (const batch of planBatches(works, { files: batchFiles, bytes: batchBytes })) {
      const free = await freeOf(deps, base, model, batch);
      release(deps, free);
      queued += free.length;
    }
  }
  return { queued, parked: held.length - queued };
}

/** Items whose work is under way already are left to it: it was asked for by a change, or by a person. */
async function holdAll(deps: IngestDeps, base: Base, ids: readonly string[]): Promise<Work[]> {
  const { catalog, now } = deps;
  const slicer = createSlicer(SLICE_MS);
  const held: Work[] = [];
  for (const slice of inSlices(ids, ITEMS_PER_TRANSACTION)) {
    catalog.transaction(() => {
      const items = catalog.items.many(slice);
      const wanted = [...items.values()].filter((item) => item.status !== "deleting");
      forgetBytes(deps, wanted);
      const jobs = catalog.jobs.enqueueParked(
        wanted.map(({ id: itemId, sourceId }) => ({
          kind: "index" as const,
          baseId: base.id,
          itemId,
          sourceId,
          priority: PRIORITY.bulk,
          runAfter: now(),
        })),
        INTERRUPTED,
      );
      for (const job of jobs) {
        const item = items.get(job.itemId);
        if (item) sayInterrupted(deps, item);
        const work = workFor(deps, { ...job, suspect: false, lonelyCrashes: 0 });
        // What there is nothing to read of ends by itself.
        if (work) held.push(work);
        else catalog.jobs.retry(job.id, now(), null);
      }
    });
    await slicer.yield();
  }
  deps.queue.wake();
  return held;
}

/** Those of a batch that can be indexed without asking the endpoint. Of what can't be read now nobody knows: it waits. */
async function freeOf(
  deps: IngestDeps,
  base: Base,
  model: EmbeddingModel,
  batch: readonly Work[],
): Promise<Work[]> {
  const result = await readBatch(deps, batch, new AbortController().signal);
  if (result.kind === "failed") return [];
  const free: Work[] = [];
  for (const { work, outcome } of result.outcomes) {
    if (await costsNothing(deps, base, model, work, outcome)) free.push(work);
  }
  return free;
}

async function costsNothing(
  deps: IngestDeps,
  base: Base,
  model: EmbeddingModel,
  work: Work,
  outcome: ReadOutcome,
): Promise<boolean> {
  const processor = processorFor(deps, base, work.item);
  // Bytes without text cost nothing, unless a processor finds text in them.
  if (outcome.kind === "failed") return processor === null && outcome.permanent && outcome.byteHash !== null;
  if (outcome.kind !== "document" || processor?.when === "always") return false;
  return await hasVectors(deps, base, model, outcome.document);
}

async function hasVectors(
  { registry }: IngestDeps,
  base: Base,
  model: EmbeddingModel,
  { text, units }: PreparedDocument,
): Promise<boolean> {
  const slicer = createSlicer(SLICE_MS);
  for (const slice of inSlices(units, TEXTS_PER_LOOK)) {
    const missing = new Set(
      await registry.missingVectors(
        base.id,
        slice.map((unit) => unit.textHash),
      ),
    );
    const texts = slice.filter((unit) => missing.has(unit.textHash));
    if (!model.hasVectors(texts.map((unit) => text.slice(unit.charStart, unit.charEnd)))) return false;
    await slicer.pause();
  }
  return true;
}

function release({ catalog, queue, now }: IngestDeps, works: readonly Work[]): void {
  catalog.transaction(() => {
    for (const { job, item } of works) {
      // A person may have sent it on meanwhile, or cancelled it.
      if (catalog.jobs.get(job.id)?.state !== "parked") continue;
      catalog.items.setRefreshError(item.id, null);
      catalog.jobs.retry(job.id, now(), null);
    }
  });
  queue.wake();
}

function inSlices<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
    all.slice(at * size, (at + 1) * size),
  );
}
