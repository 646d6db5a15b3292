import { lstat } from "node:fs/promises";
import path from "node:path";
import type { Base } from "../../rpc/contract/bases.ts";
import type { Item } from "../../rpc/contract/items.ts";
import type {
  ChunkSettings,
  ReadFileInput,
  ReadOutcome,
  SliceCursor,
  SliceOutcome,
} from "../../workers/contract.ts";
import { escapePath, toSystemPath } from "../../workers/path-bytes.ts";
import { HostFailure, type HostFailureKind } from "../runtime/host.ts";
import type { ClaimedJob } from "../storage/catalog/contract.ts";
import type { LedgerRow } from "../storage/catalog/ledger-contract.ts";
import { removeFile } from "./copy-material.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import { temporaryFor } from "./place-material.ts";

/** One claimed job with all that is known of its item. */
export interface Work {
  readonly job: ClaimedJob;
  readonly item: Item;
  readonly base: Base;
  readonly ledger: LedgerRow | undefined;
  readonly root: string | null;
  readonly maxBytes: number;
  readonly priority: number;
  readonly sizeBytes: number;
}

/** What became of a batch: an outcome for each piece of work, or the reason why there is none. */
export type ReadResult =
  | { readonly kind: "read"; readonly outcomes: readonly { work: Work; outcome: ReadOutcome }[] }
  | { readonly kind: "failed"; readonly failure: HostFailure };

/** Beyond the base deadline, a file gets a second for each of its half megabytes. */
const DEADLINE_BYTES_PER_MS = 512;

/** What the reading of so many bytes may take. */
export function readingDeadline({ settings }: IngestDeps, bytes: number): number {
  return settings.taskDeadlineMs + Math.ceil(bytes / DEADLINE_BYTES_PER_MS);
}

/** No ledger knows the size of what is in the base itself: the file is asked for it. */
async function sizeOf({ ledger, sizeBytes }: Work, file: ReadFileInput | undefined): Promise<number> {
  if (ledger !== undefined || file === undefined) return sizeBytes;
  return await lstat(toSystemPath(file.path)).then(
    ({ size }) => Math.max(size, sizeBytes),
    () => sizeBytes,
  );
}

/** Looks a job's item up; undefined when there is nothing left to do for it. */
export function workFor(deps: IngestDeps, job: ClaimedJob): Work | undefined {
  const { catalog, settings } = deps;
  const item = catalog.items.get(job.itemId);
  if (!item || item.status === "deleting" || item.type === "directory") return undefined;
  // Its file is not there; when it comes back, that is a change of its own.
  if (item.missingSince !== null) return undefined;
  const base = catalog.bases.get(item.baseId);
  if (!base) return undefined;
  const source = item.sourceId === null ? undefined : catalog.sources.get(item.sourceId);
  if (item.sourceId !== null && !source) return undefined;
  const ledger = catalog.ledger.byItem(item.id);
  return {
    job,
    item,
    base,
    ledger,
    root: source ? source.path : null,
    maxBytes: source ? source.maxFileBytes : settings.maxFileBytes,
    priority: job.priority,
    sizeBytes: ledger?.stamp.size ?? settings.batchBytes,
  };
}

/** Ends a job for which there is nothing to do. A file that vanished before it was ever read is said to be gone. */
export function dropJob({ catalog, queue }: IngestDeps, job: ClaimedJob): void {
  catalog.transaction(() => {
    const item = catalog.items.get(job.itemId);
    if (item?.missingSince != null && item.contentHash === null)
      catalog.items.fail(item.id, "its file is gone", { failure: "gone" });
    queue.finish([job.id]);
  });
}

/** Reads, parses and chunks a batch in the worker host. A lost host is an answer here, not an exception. */
export async function readBatch(
  deps: IngestDeps,
  batch: readonly Work[],
  signal: AbortSignal,
): Promise<ReadResult> {
  const files = batch.map((work, key) => inputFor(deps, work, key));
  let bytes = 0;
  for (const [at, work] of batch.entries()) bytes += await sizeOf(work, files[at]);
  const deadlineMs = readingDeadline(deps, bytes);
  try {
    const host = batch.some((work) => work.job.suspect) ? deps.lonelyHost : deps.workerHost;
    // The crash that blames it happens in a fresh child; most suspects are innocent and are cleared without the cost of one.
    const alone = batch.some((work) => work.job.lonelyCrashes > 0);
    const { outcomes } = await host.run("files.read", { files, deadlineMs }, { deadlineMs, signal, alone });
    const paired = outcomes.flatMap((outcome) => {
      const work = batch[outcome.key];
      return work ? [{ work, outcome }] : [];
    });
    if (paired.length === batch.length) return { kind: "read", outcomes: paired };
    throw new HostFailure("task", "the worker host left files of a batch unanswered");
  } catch (error) {
    // Nobody learns which of them were written.
    for (const { spool } of files) await removeFile(spool);
    if (error instanceof HostFailure) return { kind: "failed", failure: error };
    throw error;
  }
}

export type SliceResult =
  | { readonly kind: "read"; readonly outcome: SliceOutcome }
  | { readonly kind: "failed"; readonly failure: HostFailure };

/** The longest message that a slice may be. */
const MAX_SLICE_BYTES = 32 * 1024 * 1024;
/** Attempts at one slice: among others, then alone, as often as it takes to blame a file. */
const SLICE_ATTEMPTS = 3;
const LOST: ReadonlySet<HostFailureKind> = new Set(["crashed", "deadline", "task"]);

/** Reads the next slice of a long file. A host that is lost, perhaps to another file, costs this slice alone. */
export async function readSlice(
  deps: IngestDeps,
  work: Work,
  cursor: SliceCursor | null,
  signal: AbortSignal,
): Promise<SliceResult> {
  const input = { file: inputFor(deps, work, 0), cursor };
  // The first slice goes through the whole file once, for its hash.
  const bytes =
    cursor === null ? await sizeOf(work, input.file) : Math.min(cursor.stamp.size, MAX_SLICE_BYTES);
  const deadlineMs = readingDeadline(deps, bytes);
  for (let attempt = 1; ; attempt++) {
    const alone = attempt > 1;
    const host = alone || work.job.suspect ? deps.lonelyHost : deps.workerHost;
    try {
      return {
        kind: "read",
        outcome: await host.run("files.readSlice", input, { deadlineMs, signal, alone }),
      };
    } catch (failure) {
      if (!(failure instanceof HostFailure)) throw failure;
      const isLost = LOST.has(failure.kind);
      if (!isLost || attempt === SLICE_ATTEMPTS) return { kind: "failed", failure };
    }
  }
}

/** What the worker host is asked of a piece of work; `key` is echoed. */
export function inputFor(
  deps: IngestDeps,
  work: Work,
  key: number,
): ReadFileInput & { readonly spool: string } {
  const { item, base, ledger } = work;
  const indexed = item.contentHash !== null && !item.stale;
  return {
    key,
    // A concept id is the name itself, without escapes.
    path: item.path ?? escapePath(Buffer.from(path.join(deps.registry.rawPath(base.id), item.conceptId))),
    root: work.root,
    knownHash: indexed ? (ledger?.byteHash ?? null) : null,
    knownParser: indexed ? (ledger?.parser ?? null) : null,
    maxBytes: work.maxBytes,
    materialId: item.id,
    relativePath: item.conceptId,
    chunking: chunkingOf(base),
    snapshot: isSnapshotText(deps, item),
    spool: temporaryFor(deps, base.id),
  };
}

/** Frontmatter of ours stands in notes and captured pages; a Markdown file that was captured has its own (K6.2). */
function isSnapshotText({ catalog }: IngestDeps, { id, type }: Item): boolean {
  return type === "note" || (type === "url" && catalog.snapshots.get(id)?.form !== "file");
}

function chunkingOf(base: Base): ChunkSettings {
  return {
    chunkSize: base.chunkSize,
    chunkOverlap: base.chunkOverlap,
    strategy: base.chunkStrategy,
    separator: base.chunkSeparator,
    hard: base.chunkHard,
  };
}
