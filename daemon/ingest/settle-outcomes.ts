import type { FileStamp, PreparedDocument, ReadFailure, ReadOutcome } from "../../workers/contract.ts";
import { chunkFingerprint } from "../storage/catalog/fingerprint.ts";
import { copyMaterial } from "./copy-material.ts";
import { moveMarkdown } from "./processed-markdown.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import type { Work } from "./read-stage.ts";

type Failed = Extract<ReadOutcome, { kind: "failed" }>;
type Unchanged = Extract<ReadOutcome, { kind: "unchanged" }>;

/** A file that is being written is looked at again after this long. */
const CHANGING_DELAY_MS = 500;
/** A file that is away with its folder is looked for again after this long. */
const AWAY_DELAY_MS = 2000;

/** What the bytes themselves prove replaces the revision before; what we failed to do leaves it in place (K8.5). */
const PROVEN_BY_BYTES: ReadonlySet<ReadFailure> = new Set([
  "empty",
  "no_text",
  "no_text_layer",
  "bad_text_layer",
  "needs_password",
  "corrupt",
  "unsupported",
  "too_complex",
]);

/** What reading a file meets when its folder is away. */
const ABSENT: ReadonlySet<ReadFailure> = new Set(["io", "outside_root", "not_regular", "permission"]);

/** It was being written while it was read: again soon, without counting as an attempt. */
export function settleChanging(deps: IngestDeps, work: Work): void {
  deps.queue.release(work.job, CHANGING_DELAY_MS);
}

/** The same bytes as indexed: nothing was parsed or embedded. A rename still has to reach the word index (K11.1). */
export async function settleUnchanged(deps: IngestDeps, work: Work, outcome: Unchanged): Promise<void> {
  const { catalog, registry, queue } = deps;
  await registry.rename(work.base.id, work.item.id, work.item.conceptId);
  await copyMaterial(deps, work.item, outcome.byteHash);
  await moveMarkdown(deps, work.item);
  catalog.transaction(() => {
    if (!wasForgotten(deps, work)) {
      const { stamp, byteHash } = outcome;
      catalog.ledger.setRead(work.item.id, { stamp, byteHash, parser: work.ledger?.parser ?? null });
    }
    if (work.item.refreshError !== null) catalog.items.setRefreshError(work.item.id, null);
    queue.finish([work.job.id]);
  });
}

/** A file that gave no document: tried again where that can help, else said in the item. */
export async function settleFailed(deps: IngestDeps, work: Work, outcome: Failed): Promise<void> {
  if (isAway(deps, work, outcome.failure)) return deps.queue.release(work.job, AWAY_DELAY_MS);
  if (!outcome.permanent && isWorthRetrying(outcome.failure)) {
    const decision = deps.queue.retry(work.job, outcome.message);
    if (decision.again) {
      if (work.item.contentHash !== null) deps.catalog.items.setRefreshError(work.item.id, outcome.message);
      return;
    }
  }
  if (PROVEN_BY_BYTES.has(outcome.failure)) await dropRevision(deps, work);
  conclude(deps, work, outcome.message, outcome);
}

/** Nothing more is tried: a first-time failure is the item's error, a later one leaves the old revision answering. */
export function conclude(deps: IngestDeps, work: Work, message: string, outcome: Failed | null): void {
  const { catalog, queue } = deps;
  const keepsRevision = work.item.contentHash !== null && !(outcome && PROVEN_BY_BYTES.has(outcome.failure));
  catalog.transaction(() => {
    if (keepsRevision) catalog.items.setRefreshError(work.item.id, message);
    else {
      const { failure = null, stamp = null } = outcome ?? {};
      catalog.items.fail(work.item.id, message, { failure, sizeBytes: stamp?.size ?? null });
    }
    // The ledger's hash is of the bytes that answer: a revision that stays keeps it, or these bytes would pass for it.
    if (!keepsRevision && outcome?.stamp && outcome.byteHash) {
      catalog.ledger.setRead(work.item.id, {
        stamp: outcome.stamp,
        byteHash: outcome.byteHash,
        parser: null,
      });
    }
    queue.finish([work.job.id]);
  });
}

/** What the catalogue keeps of a revision that is in the index. */
export interface IndexedRevision {
  readonly stamp: FileStamp;
  readonly byteHash: string;
  readonly document: Omit<PreparedDocument, "text" | "units" | "names"> & {
    readonly units: { readonly length: number };
  };
}

/** What was said when a URL was captured stays true of its text. */
function captureWarnings({ catalog }: IngestDeps, { item }: Work): readonly string[] {
  return item.type === "url" ? (catalog.snapshots.get(item.id)?.warnings ?? []) : [];
}

/** Index first, then catalogue: the item is marked completed only once its revision can be searched. */
export function settleCompleted(
  deps: IngestDeps,
  done: readonly { work: Work; outcome: IndexedRevision }[],
): void {
  if (done.length === 0) return;
  const { catalog, queue } = deps;
  catalog.transaction(() => {
    catalog.items.completeMany(
      done.map(({ work, outcome }) => ({
        id: work.item.id,
        revision: {
          format: outcome.document.format,
          title: outcome.document.title,
          contentHash: outcome.document.contentHash,
          chunkCount: outcome.document.units.length,
          sizeBytes: outcome.stamp.size,
          warnings: [...captureWarnings(deps, work), ...outcome.document.warnings],
          metadata: outcome.document.metadata,
          fingerprint: chunkFingerprint(work.base),
        },
      })),
    );
    for (const { work, outcome } of done) {
      if (wasForgotten(deps, work)) continue;
      const { stamp, byteHash, document } = outcome;
      catalog.ledger.setRead(work.item.id, { stamp, byteHash, parser: document.parser });
    }
    queue.finish(done.map(({ work }) => work.job.id));
  });
}

/**
 * Whether the item was queued to be read anew while it was worked on (queueReindex): what is known of its bytes stays
 * forgotten then, or that reading would find nothing to do.
 */
function wasForgotten({ catalog }: IngestDeps, { item, ledger }: Work): boolean {
  return ledger?.byteHash != null && catalog.ledger.byItem(item.id)?.byteHash === null;
}

/**
 * K11.2: whether a watched file is gone is the watcher's to say, and of an unavailable folder nobody may say anything. Its
 * job waits: it ends when the watcher reports the file missing, or goes on when the folder is back.
 */
function isAway({ catalog }: IngestDeps, { item }: Work, failure: ReadFailure): boolean {
  const state = item.sourceId === null ? undefined : catalog.sources.get(item.sourceId)?.state;
  if (state === undefined || state === "paused" || state === "removing") return false;
  return failure === "gone" || (state === "unavailable" && ABSENT.has(failure));
}

async function dropRevision(deps: IngestDeps, work: Work): Promise<void> {
  if (work.item.contentHash !== null) await deps.registry.remove(work.base.id, [work.item.id]);
}

/** Permission and size change only with the file, and then the watcher says so; only passing faults are tried again. */
function isWorthRetrying(failure: ReadFailure): boolean {
  return failure === "io" || failure === "parser_error";
}
