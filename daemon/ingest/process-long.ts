import { setTimeout as delay } from "node:timers/promises";
import type { PreparedSegment, SliceOutcome } from "../../workers/contract.ts";
import { isDiskFull, KnowdError } from "../runtime/errors.ts";
import type { HostFailure } from "../runtime/host.ts";
import { MissingVectors, type Staging } from "../storage/index/contract.ts";
import { copyMaterial } from "./copy-material.ts";
import { embedMissing } from "./embed-stage.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import {
  type Slices,
  slicesOf,
  slicesOfSpool,
  type SpooledOutcome,
  type StoredSlice,
} from "./long-slices.ts";
import type { Work } from "./read-stage.ts";
import {
  neverBegan,
  quarantine,
  releaseUnbegun,
  settleEmbeddingFailure,
  settleWriteFailure,
  wasCancelled,
} from "./settle-faults.ts";
import {
  settleChanging,
  settleCompleted,
  settleFailed,
  settleUnchanged,
  type IndexedRevision,
} from "./settle-outcomes.ts";

/** How a long file came to its end. */
type End =
  | { readonly kind: "stored"; readonly revision: IndexedRevision }
  | { readonly kind: "outcome"; readonly outcome: Exclude<SliceOutcome, { kind: "slice" }> }
  | { readonly kind: "lost"; readonly failure: HostFailure }
  /** Its job is gone. */
  | { readonly kind: "cancelled" }
  /** A stop, or a pause of its base: from the start again later. What was embedded is known by then. */
  | { readonly kind: "interrupted" }
  | { readonly kind: "not embedded"; readonly error: unknown }
  | { readonly kind: "not written"; readonly error: Error };

type IsPaused = (baseId: string) => boolean;

/** Beside one long file the others still have room; a second one waits so long before it is looked at again. */
const BUSY_DELAY_MS = 5000;
const DISK_LOOK_MS = 1000;
/** Vectors may be collected between the question which are missing and the writing, when other documents go. */
const EMBED_ATTEMPTS = 3;
/** The catalogue keeps so many different warnings of one file. */
const MAX_WARNINGS = 50;

/** Who is at work on a long file, by its queue: one at a time. */
const busy = new WeakSet<IngestDeps["queue"]>();

/** Takes a long file through read → embed → index, slice by slice, then to the catalogue. Answers how many are completed. */
export async function processLong(
  deps: IngestDeps,
  work: Work,
  signal: AbortSignal,
  isPaused: IsPaused,
): Promise<number> {
  if (busy.has(deps.queue)) {
    deps.queue.release(work.job, BUSY_DELAY_MS);
    return 0;
  }
  busy.add(deps.queue);
  try {
    return await storeAndSettle(deps, work, signal, isPaused, slicesOf(deps, work, signal));
  } finally {
    busy.delete(deps.queue);
  }
}

/** The same for a document that was read whole and has a long text. */
export async function processSpooled(
  deps: IngestDeps,
  work: Work,
  outcome: SpooledOutcome,
  signal: AbortSignal,
  isPaused: IsPaused,
): Promise<number> {
  return await storeAndSettle(deps, work, signal, isPaused, slicesOfSpool(outcome));
}

async function storeAndSettle(
  deps: IngestDeps,
  work: Work,
  signal: AbortSignal,
  isPaused: IsPaused,
  slices: Slices,
): Promise<number> {
  const interruption = (): "cancelled" | "interrupted" | null => {
    if (wasCancelled(deps, work)) return "cancelled";
    const gives = signal.aborted || isPaused(work.base.id) || isBeingRemoved(deps, work);
    return gives ? "interrupted" : null;
  };
  const end = await storeLong({ deps, work, signal, interruption }, slices);
  await settle(deps, work, end);
  return end.kind === "stored" ? 1 : 0;
}

/** Its folder, or the whole base, is on its way out, and waits for what is in flight. */
function isBeingRemoved({ catalog }: IngestDeps, { item }: Work): boolean {
  return item.sourceId !== null && catalog.sources.get(item.sourceId)?.state === "removing";
}

interface LongWork {
  readonly deps: IngestDeps;
  readonly work: Work;
  readonly signal: AbortSignal;
  /** Asked between two slices. */
  readonly interruption: () => "cancelled" | "interrupted" | null;
}

async function storeLong(long: LongWork, slices: Slices): Promise<End> {
  const { deps, work } = long;
  let staging: Staging | null = null;
  try {
    const warnings = new Set<string>();
    let last: StoredSlice | null = null;
    for await (const outcome of slices) {
      if (outcome.kind === "lost") return outcome;
      if (outcome.kind !== "slice") return { kind: "outcome", outcome };
      const { slice } = outcome;
      for (const warning of slice.warnings) if (warnings.size < MAX_WARNINGS) warnings.add(warning);
      if (staging === null) {
        if (work.base.embeddingModelId !== null) deps.catalog.items.setStatus([work.item.id], "embedding");
        staging = await deps.registry.stage(work.base.id, headOf(work, slice));
      }
      for (const segment of slice.segments) {
        const stopped = (await roomOnDisk(long)) ?? (await addSegment(long, staging, segment));
        if (stopped) return stopped;
      }
      last = outcome;
    }
    if (staging === null || last === null) throw new TypeError("a long file had no slice");
    const { contentHash, units } = await staging.commit();
    const { stamp, byteHash, slice } = last;
    const document = { ...slice, contentHash, warnings: [...warnings], units: { length: units } };
    return { kind: "stored", revision: { stamp, byteHash, document } };
  } catch (error) {
    // A stop and the end of the base are said by name; the rest is what the index refused.
    if (error instanceof KnowdError || !(error instanceof Error)) throw error;
    return { kind: "not written", error };
  } finally {
    staging?.discard();
  }
}

function headOf({ item }: Work, { format, title, names = [title] }: StoredSlice["slice"]) {
  return { materialId: item.id, relativePath: item.conceptId, format, names };
}

/** Waits while the disk is nearly full; answers why there is nothing more to wait for. */
async function roomOnDisk({ deps, signal, interruption }: LongWork): Promise<End | null> {
  for (;;) {
    const kind = interruption();
    if (kind !== null) return { kind };
    if (deps.disk.shortage() === null) return null;
    // An abort ends the wait; it is asked for above.
    await delay(DISK_LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Null when it is written. */
async function addSegment(
  { deps, work, signal, interruption }: LongWork,
  staging: Staging,
  segment: PreparedSegment,
): Promise<End | null> {
  for (let attempt = 1; ; attempt++) {
    let vectors: ReadonlyMap<string, Float32Array> | null;
    try {
      vectors = await embedMissing(deps, work.base, [segment], signal);
    } catch (error) {
      const kind = interruption();
      if (kind !== null) return { kind };
      // The disk's fault, and neither the model's nor the file's.
      if (isDiskFull(error)) throw error;
      return { kind: "not embedded", error };
    }
    try {
      await staging.add({ ...segment, vectors });
      return null;
    } catch (error) {
      if (!(error instanceof MissingVectors) || attempt === EMBED_ATTEMPTS) throw error;
    }
  }
}

async function settle(deps: IngestDeps, work: Work, end: End): Promise<void> {
  switch (end.kind) {
    case "stored":
      return await settleStored(deps, work, end.revision);
    case "outcome":
      if (wasCancelled(deps, work)) return;
      if (end.outcome.kind === "unchanged") return await settleUnchanged(deps, work, end.outcome);
      if (end.outcome.kind === "changing") return settleChanging(deps, work);
      return await settleFailed(deps, work, end.outcome);
    case "lost":
      if (neverBegan(end.failure)) releaseUnbegun(deps, [work], end.failure);
      else quarantine(deps, work, end.failure);
      return;
    case "cancelled":
      return;
    case "interrupted":
      deps.queue.release(work.job, 0);
      return;
    case "not embedded":
      settleEmbeddingFailure(deps, [work], end.error);
      return;
    case "not written":
      settleWriteFailure(deps, work, end.error);
  }
}

async function settleStored(deps: IngestDeps, work: Work, revision: IndexedRevision): Promise<void> {
  await copyMaterial(deps, work.item, revision.byteHash);
  settleCompleted(deps, [{ work, outcome: revision }]);
  // It took a while: the file may have another name by now.
  const now = deps.catalog.items.get(work.item.id)?.conceptId ?? work.item.conceptId;
  if (now !== work.item.conceptId) await deps.registry.rename(work.base.id, work.item.id, now);
}
