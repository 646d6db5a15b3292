import { createSlicer } from "../runtime/yielding.ts";
import { PRIORITY } from "../queue/queue.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import { resumesOnlyOnWord } from "./paid-work.ts";
import { queueReindex } from "./queue-index.ts";
import { type Rebuilding, rebuildUnpaid } from "./rebuild-paid.ts";

export interface ReconcileResult {
  /** Items whose revision the index lacks: queued to be read again. */
  readonly lost: number;
  /** Those among the lacking that wait for a word, since embedding them costs money (K4.6). */
  readonly parked: number;
  /** Materials that no item stands for: removed. */
  readonly orphans: number;
}

const SLICE_MS = 8;

export interface Disagreements {
  /** Item ids whose revision the index lacks. */
  readonly lost: string[];
  /** Material ids that no item stands for. */
  readonly orphans: string[];
}

/**
 * What is wrong between index and catalogue while files go on being indexed. The two are looked at one after the other, so
 * only what is found twice counts; an item that waits to be read (again, after a crash between the two commits) is in order.
 */
export async function findDisagreements(deps: IngestDeps, baseId: string): Promise<Disagreements> {
  const first = await compareBase(deps, baseId);
  if (first.lost.length + first.orphans.length === 0) return first;
  const again = await compareBase(deps, baseId);
  const items = deps.catalog.items.many(first.orphans);
  const lost = new Set(again.lost);
  const orphans = new Set(again.orphans);
  return {
    lost: first.lost.filter((id) => lost.has(id)),
    orphans: first.orphans.filter((id) => orphans.has(id) && items.get(id)?.status !== "idle"),
  };
}

async function compareBase(deps: IngestDeps, baseId: string): Promise<Disagreements> {
  const stored = new Map<string, string | null>();
  await deps.registry.materials(baseId, (slice) => {
    for (const material of slice) stored.set(material.materialId, material.contentHash);
  });
  const slicer = createSlicer(SLICE_MS);
  const lost: string[] = [];
  for (const id of deps.catalog.items.leavesOfBase(baseId)) {
    const item = deps.catalog.items.get(id);
    if (item?.contentHash != null && stored.get(id) !== item.contentHash) lost.push(id);
    if (item?.contentHash != null) stored.delete(id);
    await slicer.pause();
  }
  return { lost, orphans: withoutRevision(deps, [...stored.keys()]) };
}

/**
 * Brings a base's index in line with the catalogue, which decides (K1.1). Needed when the daemon did not stop in good
 * order (the index may be older than the catalogue after a power loss) and when the index was recreated empty (K8.2).
 */
export async function reconcileBase(deps: IngestDeps, baseId: string): Promise<ReconcileResult> {
  const { lost, orphans } = await compareBase(deps, baseId);
  const { queued, parked } = await queueLost(deps, baseId, lost);
  return { lost: queued, parked, orphans: await removeOrphans(deps, baseId, orphans) };
}

async function queueLost(deps: IngestDeps, baseId: string, lost: readonly string[]): Promise<Rebuilding> {
  const base = deps.catalog.bases.require(baseId);
  const model = base.embeddingModelId === null ? undefined : deps.models.get(base.embeddingModelId);
  if (model && resumesOnlyOnWord(deps, model.id)) return await rebuildUnpaid(deps, base, model, lost);
  await queueReindex(deps, lost, PRIORITY.bulk);
  return { queued: lost.length, parked: 0 };
}

/**
 * Looked at once more while nobody else writes to the index: what was committed since then has its item in flight or completed,
 * and what is begun from now on is committed after the removal.
 */
async function removeOrphans(deps: IngestDeps, baseId: string, orphans: readonly string[]): Promise<number> {
  if (orphans.length === 0) return 0;
  return await deps.registry.runExclusive(baseId, async () => {
    const still = withoutRevision(deps, orphans);
    await deps.registry.remove(baseId, still);
    return still.length;
  });
}

/** Materials whose item has no committed revision, and is not about to have one. */
function withoutRevision(deps: IngestDeps, ids: readonly string[]): string[] {
  const items = deps.catalog.items.many(ids);
  return ids.filter((id) => {
    const item = items.get(id);
    return (
      item === undefined ||
      (item.contentHash === null && item.status !== "deleting" && !isInFlight(item.status))
    );
  });
}

function isInFlight(status: string): boolean {
  return status === "reading" || status === "embedding" || status === "processing";
}
