import { lstat, stat } from "node:fs/promises";
import path from "node:path";
import type { Item } from "../../rpc/contract/items.ts";
import { PRIORITY } from "../queue/queue.ts";
import { createSlicer } from "../runtime/yielding.ts";
import { itemAt } from "./owned-items.ts";
import { queueIndex } from "./queue-index.ts";
import { beginDelete } from "./remove-items.ts";
import type { ChangeDeps } from "./source-changes.ts";
import type { ChangeOrigin, FileChange, WatchMessage } from "./watch-contract.ts";

const SLICE_MS = 8;
/** The kernel's clock of file times may be a tick behind. */
const CLOCK_TICK_MS = 20;
/** More files than this that vanish together look like a fault, not like a person's delete. */
const MASS_FILES = 100;

/** What is remembered of owned files while the daemon runs. */
export interface OwnedState {
  /** When the last reading of an item began. What was written before it is in it. */
  readonly readingSince: Map<string, number>;
  /** When the files of items were found to be gone, by base. */
  readonly missing: Map<string, Map<string, number>>;
}

/** Files that were written: those that are items are read again. */
export async function applyOwnedChanged(
  deps: ChangeDeps,
  state: OwnedState,
  { sourceId: baseId, files, origin }: Extract<WatchMessage, { type: "changed" }>,
): Promise<void> {
  const slicer = createSlicer(SLICE_MS);
  for (const file of files) {
    const item = itemAt(deps.catalog, baseId, file.path);
    if (item) takeUp(deps, state, item, file, origin);
    await slicer.yield();
  }
}

function takeUp(
  deps: ChangeDeps,
  state: OwnedState,
  item: Item,
  { stamp }: FileChange,
  origin: ChangeOrigin,
): void {
  state.missing.get(item.baseId)?.delete(item.id);
  const writtenAt = Number(BigInt(stamp.ctimeNs) / 1_000_000n);
  const isSeen = wasRead(state, item, writtenAt, stamp.size, origin);
  if (isSeen && item.missingSince === null) return;
  const { settleMs, settleEmptyMs } = deps.settings;
  const settle = stamp.size === 0 ? settleEmptyMs : settleMs;
  const now = deps.now();
  const due = Math.min(Math.max(writtenAt + settle, now), now + settle);
  deps.catalog.transaction(() => {
    if (item.missingSince !== null) deps.catalog.items.setMissing([item.id], null);
    queueIndex(deps, [item], origin === "event" ? PRIORITY.interactive : PRIORITY.bulk, due);
  });
}

/**
 * Whether what stands in the file was read already: our own writes are told by the watcher too. A file's ctime can't be set
 * by hand. After a start it is held against the time at which the item was done.
 */
function wasRead(
  state: OwnedState,
  item: Item,
  writtenAt: number,
  size: number,
  origin: ChangeOrigin,
): boolean {
  const readingSince = state.readingSince.get(item.id);
  if (readingSince !== undefined && writtenAt + CLOCK_TICK_MS < readingSince) return true;
  if (origin === "event") return false;
  if (item.status === "completed") return item.sizeBytes === size && writtenAt <= item.changedAt;
  // One that was not read yet has its job.
  return item.status !== "failed" || writtenAt <= item.updatedAt;
}

/** Hidden at once, deleted after the grace period (K11.2). */
export async function applyOwnedGone(
  deps: ChangeDeps,
  state: OwnedState,
  baseId: string,
  paths: readonly string[],
): Promise<void> {
  const slicer = createSlicer(SLICE_MS);
  const missing = state.missing.get(baseId) ?? new Map<string, number>();
  for (const file of paths) {
    const item = itemAt(deps.catalog, baseId, file);
    if (item) {
      missing.set(item.id, item.missingSince ?? deps.now());
      if (item.missingSince === null) deps.catalog.items.setMissing([item.id], deps.now());
    }
    await slicer.yield();
  }
  if (missing.size > 0) state.missing.set(baseId, missing);
}

/** Deletes the items whose files were gone for the whole grace period, and still are. */
export async function sweepOwned(deps: ChangeDeps, state: OwnedState, signal: AbortSignal): Promise<void> {
  const { graceMs, massGraceMs } = deps.settings;
  for (const [baseId, missing] of state.missing) {
    const heldMs = missing.size > MASS_FILES ? massGraceMs : graceMs;
    for (const [itemId, since] of missing) {
      if (signal.aborted) return;
      if (deps.now() - since < heldMs) continue;
      const item = deps.catalog.items.get(itemId);
      const isMissing = item !== undefined && item.missingSince !== null && item.status !== "deleting";
      if (isMissing && !(await isGone(deps, item))) continue;
      missing.delete(itemId);
      if (isMissing && !signal.aborted) beginDelete(deps, [itemId]);
    }
    if (missing.size === 0) state.missing.delete(baseId);
  }
}

/** Only where the base's folder can be looked into is anything concluded. */
async function isGone({ registry }: ChangeDeps, { baseId, conceptId }: Item): Promise<boolean> {
  const raw = registry.rawPath(baseId);
  try {
    if (!(await stat(raw)).isDirectory()) return false;
    await lstat(path.join(raw, conceptId));
    return false;
  } catch (error) {
    return (
      (error as NodeJS.ErrnoException).code === "ENOENT" &&
      (await stat(raw).then(
        () => true,
        () => false,
      ))
    );
  }
}
