import type { Base } from "../../rpc/contract/bases.ts";
import type { ReadOutcome } from "../../workers/contract.ts";
import { isDiskFull } from "../runtime/errors.ts";
import { copyMaterial, removeFile } from "./copy-material.ts";
import { embedMissing } from "./embed-stage.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import { processLong, processSpooled } from "./process-long.ts";
import { throughProcessors } from "./processing-stage.ts";
import { readBatch, type Work } from "./read-stage.ts";
import {
  isRefusal,
  releaseAll,
  settleDiskFull,
  settleEmbeddingFailure,
  settleLostBatch,
  settleWriteFailure,
  wasCancelled,
} from "./settle-faults.ts";
import { settleChanging, settleCompleted, settleFailed, settleUnchanged } from "./settle-outcomes.ts";

type DocumentOutcome = Extract<ReadOutcome, { kind: "document" }>;
interface Read {
  readonly work: Work;
  readonly outcome: DocumentOutcome;
}

/**
 * Takes a batch through read → embed → index → catalogue. Every job ends finished, queued again or said to have failed;
 * nothing is thrown for what a file, a host or an endpoint does. Long work gives way when `isPaused` says so of its base.
 */
export async function processBatch(
  deps: IngestDeps,
  batch: readonly Work[],
  signal: AbortSignal,
  isPaused: (baseId: string) => boolean,
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
  const spools = result.outcomes.flatMap(({ outcome }) => spoolOf(outcome));
  try {
    const outcomes = await throughProcessors(deps, result.outcomes, signal);
    spools.push(...outcomes.flatMap(({ outcome }) => spoolOf(outcome)));
    return await settleRead(deps, outcomes, signal, isPaused);
  } finally {
    for (const spool of spools) await removeFile(spool);
  }
}

function spoolOf(outcome: ReadOutcome): string[] {
  return outcome.kind === "spooled" ? [outcome.document.spool] : [];
}

/** Takes each outcome to its end: what is said at once first, then short documents together, then long ones. */
async function settleRead(
  deps: IngestDeps,
  outcomes: readonly { work: Work; outcome: ReadOutcome }[],
  signal: AbortSignal,
  isPaused: (baseId: string) => boolean,
): Promise<number> {
  const documents: Read[] = [];
  const long: (() => Promise<number>)[] = [];
  for (const { work, outcome } of outcomes) {
    if (outcome.kind === "document") documents.push({ work, outcome });
    else if (wasCancelled(deps, work)) continue;
    else if (outcome.kind === "unchanged") await settleUnchanged(deps, work, outcome);
    else if (outcome.kind === "long") long.push(() => processLong(deps, work, signal, isPaused));
    else if (outcome.kind === "spooled")
      long.push(() => processSpooled(deps, work, outcome, signal, isPaused));
    else if (outcome.kind === "changing") settleChanging(deps, work);
    else if (outcome.kind === "disk_full") settleDiskFull(deps, work);
    else await settleFailed(deps, work, outcome);
  }
  let completed = 0;
  for (const [base, reads] of byBase(documents)) completed += await storeDocuments(deps, base, reads, signal);
  for (const storeOne of long) completed += await storeOne();
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
    } else
      settleEmbeddingFailure(
        deps,
        reads.map(({ work }) => work),
        error,
      );
    return 0;
  }
  const wanted = reads.filter(({ work }) => !wasCancelled(deps, work));
  const outcomes = await deps.registry.commit(
    base.id,
    wanted.map(({ work: { item }, outcome: { document } }) => {
      const { format, names, text, contentHash, units } = document;
      const at = { materialId: item.id, relativePath: item.conceptId };
      return { ...at, format, names, text, contentHash, units, vectors };
    }),
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

function byBase(reads: readonly Read[]): Map<Base, Read[]> {
  const groups = new Map<string, { base: Base; reads: Read[] }>();
  for (const read of reads) {
    const group = groups.get(read.work.base.id) ?? { base: read.work.base, reads: [] };
    group.reads.push(read);
    groups.set(read.work.base.id, group);
  }
  return new Map([...groups.values()].map((group) => [group.base, group.reads]));
}
