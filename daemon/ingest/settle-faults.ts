import { EmbeddingFailure } from "../embedding/provider.ts";
import { isDiskFull } from "../runtime/errors.ts";
import type { HostFailure, HostFailureKind } from "../runtime/host.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import type { Work } from "./read-stage.ts";
import { conclude } from "./settle-outcomes.ts";

/** A file that twice took a host down while it was alone in it is left out until it changes. */
const LONELY_CRASHES_TO_QUARANTINE = 2;
const HOST_DELAY_MS = 1000;
/** The host says nothing about the files when it did not take them or was asked to let go of them. */
const NEVER_BEGAN: ReadonlySet<HostFailureKind> = new Set(["stopped", "cancelled", "full", "unavailable"]);

/** In one transaction: each commit is an fsync. */
export function releaseAll(deps: IngestDeps, works: readonly Work[], delayMs: number): void {
  deps.catalog.transaction(() => {
    for (const work of works) deps.queue.release(work.job, delayMs);
  });
}

export function isRefusal(error: unknown): boolean {
  return error instanceof EmbeddingFailure && error.kind === "permanent";
}

/** The job is no longer there: a person cancelled it, or its item is being deleted. */
export function wasCancelled(deps: IngestDeps, work: Work): boolean {
  return deps.catalog.jobs.get(work.job.id)?.state !== "running";
}

export function neverBegan(failure: HostFailure): boolean {
  return NEVER_BEGAN.has(failure.kind);
}

export function releaseUnbegun(deps: IngestDeps, works: readonly Work[], failure: HostFailure): void {
  releaseAll(deps, works, failure.kind === "full" || failure.kind === "unavailable" ? HOST_DELAY_MS : 0);
}

/** It did that alone, twice: it is left out until it changes. */
export function quarantine(deps: IngestDeps, work: Work, failure: HostFailure): void {
  const reason = failure.kind === "deadline" ? "took longer than its deadline" : "crashed the parser";
  conclude(
    deps,
    work,
    `reading it ${reason} twice, alone: left out until it changes (${failure.message})`,
    null,
  );
}

/** The host died or was killed with the batch in it: each is tried alone before anyone is blamed (P10, P11). */
export function settleLostBatch(deps: IngestDeps, batch: readonly Work[], failure: HostFailure): void {
  if (neverBegan(failure)) return releaseUnbegun(deps, batch, failure);
  const only = batch.length === 1 ? batch[0] : undefined;
  const alone = only?.job.suspect === true;
  if (only && alone && only.job.lonelyCrashes + 1 >= LONELY_CRASHES_TO_QUARANTINE) {
    return quarantine(deps, only, failure);
  }
  deps.log.warn(
    { files: batch.length, reason: failure.message, ...(only && { item: only.item.conceptId }) },
    "a batch was lost with its host; its files are tried alone",
  );
  deps.catalog.jobs.markSuspects(
    batch.map((work) => work.job.id),
    { lonely: alone, error: failure.message, runAfter: deps.now() },
  );
  deps.queue.wake();
  return undefined;
}

/** Also a lost host comes here as a passing fault: texts are embedded beside others' work, so it says nothing of these. */
export function settleEmbeddingFailure(deps: IngestDeps, works: readonly Work[], error: unknown): void {
  const failure = error instanceof EmbeddingFailure ? error : null;
  const message = error instanceof Error ? error.message : String(error);
  if (!failure) deps.log.error({ error: message }, "embedding failed in an unforeseen way");
  for (const work of works) {
    const again =
      !isRefusal(error) && deps.queue.retry(work.job, message, failure?.retryAfterMs ?? null).again;
    if (again && work.item.contentHash !== null) deps.catalog.items.setRefreshError(work.item.id, message);
    if (!again) conclude(deps, work, `embedding failed: ${message}`, null);
  }
}

/** A full disk is waited out; anything else the index refused is tried again, then said. */
export function settleWriteFailure(deps: IngestDeps, work: Work, error: Error): void {
  if (isDiskFull(error)) return settleDiskFull(deps, work);
  deps.log.warn({ item: work.item.conceptId, error: error.message }, "a revision could not be written");
  if (!deps.queue.retry(work.job, error.message).again) {
    conclude(deps, work, `it could not be written to the index: ${error.message}`, null);
  }
  return undefined;
}

/** Waits until there is room: no attempt is counted. */
export function settleDiskFull(deps: IngestDeps, work: Work): void {
  deps.disk.refused();
  deps.queue.release(work.job, 0);
}
