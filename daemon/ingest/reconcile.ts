import { createSlicer } from "../runtime/yielding.ts";
import { PRIORITY } from "../queue/queue.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import { queueReindex } from "./queue-index.ts";

export interface ReconcileResult {
  /** Items whose revision the index lacks: queued to be read again. */
  readonly lost: number;
  /** Materials that no item stands for: removed. */
  readonly orphans: number;
}

const SLICE_MS = 8;

/** Item ids whose revision the index lacks, and material ids that no item stands for. */
export async function compareBase(
  deps: IngestDeps,
  baseId: string,
): Promise<{ lost: string[]; orphans: string[] }> {
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
  await queueReindex(deps, lost, PRIORITY.bulk);
  if (orphans.length > 0) await deps.registry.remove(baseId, orphans);
  return { lost: lost.length, orphans: orphans.length };
}

/** Materials whose item has no committed revision, looked at once more: work in flight may have just completed one. */
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
