import { lstat } from "node:fs/promises";
import path from "node:path";
import type { Base } from "../../rpc/contract/bases.ts";
import type { Item } from "../../rpc/contract/items.ts";
import type { ReadFailure, ReadOutcome } from "../../workers/contract.ts";
import { escapePath } from "../../workers/path-bytes.ts";
import type { Processor } from "../processing/processor.ts";
import { PRIORITY } from "../queue/queue.ts";
import { HostFailure } from "../runtime/host.ts";
import { createSlicer } from "../runtime/yielding.ts";
import { removeFile } from "./copy-material.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import { moveMarkdown } from "./processed-markdown.ts";
import { queueReindex } from "./queue-index.ts";
import { inputFor, readingDeadline, type Work } from "./read-stage.ts";
import { settleLostBatch } from "./settle-faults.ts";

const ITEMS_PER_SLICE = 256;
const SLICE_MS = 8;

interface Outcome {
  readonly work: Work;
  readonly outcome: ReadOutcome;
}

type WithBytes = Extract<ReadOutcome, { kind: "document" | "spooled" | "failed" }>;

/** What a processor can help with: the bytes are whole, but knowd finds no text in them. */
const UNREADABLE: ReadonlySet<ReadFailure> = new Set([
  "no_text",
  "no_text_layer",
  "bad_text_layer",
  "unsupported",
]);

/** The processor that the base has for such a file, if any. */
export function processorFor(
  { processors }: Pick<IngestDeps, "processors">,
  base: Base,
  item: Item,
): Processor | null {
  const processor = base.fileProcessorId === null ? undefined : processors.get(base.fileProcessorId);
  const extension = path.posix.extname(item.conceptId).slice(1).toLowerCase();
  return processor?.extensions.has(extension) === true ? processor : null;
}

/**
 * Files for a processor leave the batch: their index job ends, and one of processing is queued that will queue it again.
 * When the same bytes were processed already, their Markdown is read and takes the place of the outcome.
 */
export async function throughProcessors(
  deps: IngestDeps,
  outcomes: readonly Outcome[],
  signal: AbortSignal,
): Promise<Outcome[]> {
  const left: Outcome[] = [];
  for (const one of outcomes) {
    const taken = takenBy(deps, one);
    if (taken === null) left.push(one);
    else {
      const made = await readProcessed(deps, one.work, taken, signal);
      if (made === null) handOver(deps, one.work);
      // The Markdown has taken the host down: it is tried alone, and in the end left out, as a file is.
      else if (made instanceof HostFailure) settleLostBatch(deps, [one.work], made);
      else left.push({ work: one.work, outcome: made });
    }
  }
  return left;
}

interface Taken {
  readonly processor: Processor;
  readonly outcome: WithBytes & { readonly byteHash: string };
}

function takenBy(deps: IngestDeps, { work, outcome }: Outcome): Taken | null {
  if (!isOfBytes(outcome)) return null;
  const processor = processorFor(deps, work.base, work.item);
  if (processor === null || outcome.byteHash === null) return null;
  const isWanted = outcome.kind === "failed" ? UNREADABLE.has(outcome.failure) : processor.when === "always";
  return isWanted ? { processor, outcome: { ...outcome, byteHash: outcome.byteHash } } : null;
}

function isOfBytes(outcome: ReadOutcome): outcome is WithBytes {
  return outcome.kind === "document" || outcome.kind === "spooled" || outcome.kind === "failed";
}

/** Null when these bytes were not processed yet, or their Markdown is not there any more. */
async function readProcessed(
  deps: IngestDeps,
  work: Work,
  { processor, outcome }: Taken,
  signal: AbortSignal,
): Promise<ReadOutcome | HostFailure | null> {
  await moveMarkdown(deps, work.item);
  const processed = deps.catalog.processed.get(work.item.id);
  if (processed?.byteHash !== outcome.byteHash || processed.processorId !== processor.id) return null;
  const place = path.join(deps.registry.rawPath(work.base.id), processed.markdownId);
  const input = {
    ...inputFor(deps, work, 0),
    path: escapePath(Buffer.from(place)),
    root: null,
    knownHash: null,
    maxBytes: Number.MAX_SAFE_INTEGER,
    relativePath: processed.markdownId,
    pages: true,
  };
  const size = await lstat(place).then(
    (stats) => stats.size,
    () => 0,
  );
  const deadlineMs = readingDeadline(deps, size);
  const host = work.job.suspect ? deps.lonelyHost : deps.workerHost;
  const alone = work.job.lonelyCrashes > 0;
  const read = await host
    .run("files.read", { files: [input], deadlineMs }, { deadlineMs, signal, alone })
    .catch(async (error: unknown) => {
      await removeFile(input.spool);
      if (error instanceof HostFailure) return error;
      throw error;
    });
  if (read instanceof HostFailure) return read;
  const found = read.outcomes[0];
  if (found === undefined) return new HostFailure("task", "the worker host left the Markdown unanswered");
  if (found.kind === "failed" && found.failure === "gone") return null;
  // Of the file, not of its Markdown, the catalogue keeps hash and stamp.
  const { key, byteHash, stamp } = outcome;
  if (stamp === null) {
    await removeFile(input.spool);
    return { kind: "changing", key };
  }
  if (found.kind === "failed") {
    const failure = found.failure === "unsupported" ? "no_text" : found.failure;
    return { ...found, key, byteHash, stamp, failure, message: `${processor.id}: ${found.message}` };
  }
  if (found.kind !== "document" && found.kind !== "spooled") return found;
  const format = outcome.kind === "failed" ? found.document.format : outcome.document.format;
  const about = { format, metadata: { ...found.document.metadata, processor: processor.id } };
  return found.kind === "document"
    ? { kind: found.kind, key, byteHash, stamp, document: { ...found.document, ...about } }
    : { kind: found.kind, key, byteHash, stamp, document: { ...found.document, ...about } };
}

function handOver({ catalog, queue, now }: IngestDeps, { job, item, base, priority }: Work): void {
  catalog.transaction(() => {
    if (catalog.jobs.get(job.id)?.state !== "running") return;
    catalog.items.setStatus([item.id], "idle");
    queue.finish([job.id]);
    const { id: itemId, sourceId } = item;
    queue.enqueue([{ kind: "process", baseId: base.id, itemId, sourceId, priority, runAfter: now() }]);
  });
}

/**
 * After a base got another processor, or its processor another configuration: what it can help with is looked at again, what
 * knowd finds text in only where it is `always` to take it. Answers how many files were queued.
 */
export async function queueForProcessor(
  deps: IngestDeps,
  base: Base,
  { unreadableOnly = false }: { unreadableOnly?: boolean } = {},
): Promise<number> {
  const slicer = createSlicer(SLICE_MS);
  const ids = deps.catalog.items.leavesOfBase(base.id);
  let queued = 0;
  for (let at = 0; at < ids.length; at += ITEMS_PER_SLICE) {
    const items = [...deps.catalog.items.many(ids.slice(at, at + ITEMS_PER_SLICE)).values()];
    const wanted = items.filter((item) => {
      const processor = processorFor(deps, base, item);
      if (processor === null || item.missingSince !== null) return false;
      return isUnreadable(item) || (processor.when === "always" && !unreadableOnly);
    });
    queued += await queueReindex(
      deps,
      wanted.map((item) => item.id),
      PRIORITY.bulk,
    );
    await slicer.yield();
  }
  return queued;
}

function isUnreadable({ failure }: Item): boolean {
  return failure === "processing" || UNREADABLE.has(failure as ReadFailure);
}
