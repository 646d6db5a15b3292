import type { Base } from "../../rpc/contract/bases.ts";
import type { ReadOutcome } from "../../workers/contract.ts";
import { EmbeddingFailure } from "../embedding/provider.ts";
import type { HostFailure, HostFailureKind } from "../runtime/host.ts";
import { isDiskFull } from "../runtime/errors.ts";
import { copyMaterial } from "./copy-material.ts";
import { embedMissing } from "./embed-stage.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import { throughProcessors } from "./processing-stage.ts";
import { readBatch, type Work } from "./read-stage.ts";
import {
  conclude,
  settleChanging,
  settleCompleted,
  settleFailed,
  settleUnchanged,
} from "./settle-outcomes.ts";

type DocumentOutcome = Extract<ReadOutcome, { kind: "document" }>;
interface Read {
  readonly work: Work;
  readonly outcome: DocumentOutcome;
}

/** A file that twice took a host down while it was alone in it is left out until it changes. */
const LONELY_CRASHES_TO_QUARANTINE = 2;
const HOST_DELAY_MS = 1000;
/** The host says nothing about the files when it did not take them or was asked to let go of them. */
const NEVER_BEGAN: ReadonlySet<HostFailureKind> = new Set(["stopped", "cancelled", "full", "unavailable"]);

/**
 * Takes a batch through read → embed → index → catalogue. Every job ends finished, queued again or said to have failed;
 * nothing is thrown for what a file, a host or an endpoint does.
 */
export async function processBatch(
  deps: IngestDeps,
  batch: readonly Work[],
  signal: AbortSignal,
): Promise<number> {
  deps.catalog.items.setStatus(
    batch.map((work) => work.item.id),
    "reading",
  );
  const result = await readBatch(deps, batch, signal);
  if (result.kind === "failed") {
    settleLostBatch(deps, batch, result.failure);
    return 0;
  }
  const documents: Read[] = [];
  for (const { work, outcome } of await throughProcessors(deps, result.outcomes, signal)) {
    if (outcome.kind === "document") documents.push({ work, outcome });
    else if (wasCancelled(deps, work)) continue;
    else if (outcome.kind === "unchanged") await settleUnchanged(deps, work, outcome);
    else if (outcome.kind === "changing") settleChanging(deps, work);
    else await settleFailed(deps, work, outcome);
  }
  let completed = 0;
  for (const [base, reads] of byBase(documents)) completed += await storeDocuments(deps, base, reads, signal);
  return completed;
}

async function storeDocuments(
  deps: IngestDeps,
  base: Base,
  reads: readonly Read[],
  signal: AbortSignal,
): Promise<number> {
  let vectors: ReadonlyMap<string, Float32Array> | null;
  try {
    if (base.embeddingModelId !== null) {
      deps.catalog.items.setStatus(
        reads.map(({ work }) => work.item.id),
        "embedding",
      );
    }
    vectors = await embedMissing(
      deps,
      base,
      reads.map(({ outcome }) => outcome.document),
      signal,
    );
  } catch (error) {
    // Of several texts the model may refuse one: each document answers for its own.
    if (isRefusal(error) && reads.length > 1) return await storeOneByOne(deps, base, reads, signal);
    // The disk's fault, and neither the model's nor the files'.
    if (isDiskFull(error)) throw error;
    if (signal.aborted) {
      releaseAll(
        deps,
        reads.map(({ work }) => work),
        0,
      );
    } else settleEmbeddingFailure(deps, reads, error);
    return 0;
  }
  const wanted = reads.filter(({ work }) => !wasCancelled(deps, work));
  const outcomes = await deps.registry.commit(
    base.id,
    wanted.map(({ work, outcome }) => ({
      materialId: work.item.id,
      relativePath: work.item.conceptId,
      format: outcome.document.format,
      text: outcome.document.text,
      contentHash: outcome.document.contentHash,
      units: outcome.document.units,
      vectors,
    })),
  );
  const errors = new Map(outcomes.map((outcome) => [outcome.materialId, outcome.error]));
  const stored = wanted.filter(({ work }) => errors.get(work.item.id) === null);
  for (const { work, outcome } of stored) await copyMaterial(deps, work.item, outcome.byteHash);
  settleCompleted(deps, stored);
  for (const { work } of wanted) {
    const error = errors.get(work.item.id);
    if (error) settleWriteFailure(deps, work, error);
  }
  return stored.length;
}

/** In one transaction: each commit is an fsync. */
function releaseAll(deps: IngestDeps, works: readonly Work[], delayMs: number): void {
  deps.catalog.transaction(() => {
    for (const work of works) deps.queue.release(work.job, delayMs);
  });
}

async function storeOneByOne(
  deps: IngestDeps,
  base: Base,
  reads: readonly Read[],
  signal: AbortSignal,
): Promise<number> {
  let stored = 0;
  for (const read of reads) stored += await storeDocuments(deps, base, [read], signal);
  return stored;
}

function isRefusal(error: unknown): boolean {
  return error instanceof EmbeddingFailure && error.kind === "permanent";
}

/** The job is no longer there: a person cancelled it, or its item is being deleted. */
function wasCancelled(deps: IngestDeps, work: Work): boolean {
  return deps.catalog.jobs.get(work.job.id)?.state !== "running";
}

/** The host died or was killed with the batch in it: each is tried alone before anyone is blamed (P10, P11). */
function settleLostBatch(deps: IngestDeps, batch: readonly Work[], failure: HostFailure): void {
  if (NEVER_BEGAN.has(failure.kind)) {
    const delayMs = failure.kind === "full" || failure.kind === "unavailable" ? HOST_DELAY_MS : 0;
    releaseAll(deps, batch, delayMs);
    return;
  }
  const only = batch.length === 1 ? batch[0] : undefined;
  const alone = only?.job.suspect === true;
  if (only && alone && only.job.lonelyCrashes + 1 >= LONELY_CRASHES_TO_QUARANTINE) {
    const reason = failure.kind === "deadline" ? "took longer than its deadline" : "crashed the parser";
    conclude(
      deps,
      only,
      `reading it ${reason} twice, alone: left out until it changes (${failure.message})`,
      null,
    );
    return;
  }
  deps.log.warn(
    { files: batch.length, reason: failure.message },
    "a batch was lost with its host; its files are tried alone",
  );
  deps.catalog.jobs.markSuspects(
    batch.map((work) => work.job.id),
    { lonely: alone, error: failure.message, runAfter: deps.now() },
  );
  deps.queue.wake();
}

/** Also a lost host comes here as a passing fault: texts are embedded beside others' work, so it says nothing of these. */
function settleEmbeddingFailure(deps: IngestDeps, reads: readonly Read[], error: unknown): void {
  const failure = error instanceof EmbeddingFailure ? error : null;
  const message = error instanceof Error ? error.message : String(error);
  if (!failure) deps.log.error({ error: message }, "embedding failed in an unforeseen way");
  for (const { work } of reads) {
    const again =
      !isRefusal(error) && deps.queue.retry(work.job, message, failure?.retryAfterMs ?? null).again;
    if (again && work.item.contentHash !== null) deps.catalog.items.setRefreshError(work.item.id, message);
    if (!again) conclude(deps, work, `embedding failed: ${message}`, null);
  }
}

/** A full disk is waited out; anything else the index refused is tried again, then said. */
function settleWriteFailure(deps: IngestDeps, work: Work, error: Error): void {
  if (isDiskFull(error)) {
    deps.disk.refused();
    return deps.queue.release(work.job, 0);
  }
  deps.log.warn({ item: work.item.conceptId, error: error.message }, "a revision could not be written");
  if (!deps.queue.retry(work.job, error.message).again) {
    conclude(deps, work, `it could not be written to the index: ${error.message}`, null);
  }
  return undefined;
}

function byBase(reads: readonly Read[]): Map<Base, Read[]> {
  const groups = new Map<string, { base: Base; reads: Read[] }>();
  for (const read of reads) {
    const group = groups.get(read.work.base.id) ?? { base: read.work.base, reads: [] };
    group.reads.push(read);
    groups.set(read.work.base.id, group);
  }
  return new Map([...groups.values()].map((group) => [group.base, group.reads]));
}
