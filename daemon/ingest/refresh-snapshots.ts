import { open, rename } from "node:fs/promises";
import path from "node:path";
import type { Result } from "../../rpc/contract/index.ts";
import type { Item } from "../../rpc/contract/items.ts";
import type { CaptureOutcome } from "../../workers/fetch/contract.ts";
import { PRIORITY } from "../queue/queue.ts";
import type { Snapshot } from "../storage/catalog/snapshots-contract.ts";
import { removeFile } from "./copy-material.ts";
import { atATime, type CaptureDeps, FETCHES_AT_A_TIME } from "./import-urls.ts";
import { temporaryFor } from "./place-material.ts";
import { queueIndex } from "./queue-index.ts";
import { refreshTime } from "./refresh-time.ts";

type Refreshed = Result<"snapshot.refresh">["items"][number];

export interface RefreshRequest {
  readonly itemIds: readonly string[];
  /** The new schedule; left out, the one there is stays. */
  readonly refreshEveryMs?: number | null | undefined;
}

/** Fetches captured URLs again (K6.3). What fails keeps its text and says why in `refreshError`; no one fails another. */
export interface SnapshotRefresher {
  refresh(
    request: RefreshRequest,
    signal: AbortSignal,
    progress?: (done: number, total: number, url: string) => void,
  ): Promise<Result<"snapshot.refresh">>;
}

export function createSnapshotRefresher(deps: CaptureDeps): SnapshotRefresher {
  /** Two that ask for the same item at a time would fetch onto the same path: the second waits for the first. */
  const turns = new Map<string, Promise<unknown>>();

  const inTurn = async <T>(itemId: string, work: () => Promise<T>): Promise<T> => {
    const before = turns.get(itemId) ?? Promise.resolve();
    const own = before.then(work, work);
    turns.set(itemId, own);
    try {
      return await own;
    } finally {
      if (turns.get(itemId) === own) turns.delete(itemId);
    }
  };

  return {
    async refresh({ itemIds, refreshEveryMs }, signal, progress) {
      const ids = [...new Set(itemIds)];
      const found = new Map<string, Refreshed>();
      await atATime(FETCHES_AT_A_TIME, ids, async (itemId) => {
        signal.throwIfAborted();
        const refreshed = await inTurn(itemId, () => refreshOne(deps, itemId, refreshEveryMs, signal));
        if (refreshed === null) return;
        found.set(itemId, refreshed);
        progress?.(found.size, ids.length, refreshed.url);
      });
      return {
        items: ids.flatMap((id) => found.get(id) ?? []),
        notFound: ids.filter((id) => !found.has(id)),
      };
    },
  };
}

/** Null for what is no captured URL, or none any more. */
async function refreshOne(
  deps: CaptureDeps,
  itemId: string,
  wished: number | null | undefined,
  signal: AbortSignal,
): Promise<Refreshed | null> {
  const item = liveItem(deps, itemId);
  const snapshot = deps.catalog.snapshots.get(itemId);
  if (item === null || snapshot === undefined) return null;
  const into = temporaryFor(deps, item.baseId);
  const { url, title, allowPrivate, validators, hash } = snapshot;
  const timestamp = new Date(deps.now()).toISOString();
  // Where its file or its text is lost, what the server knows of it helps nobody.
  const before = item.status === "completed" ? { validators, hash } : null;
  try {
    const outcome = await deps.captures.capture(
      { url, title, timestamp, into, before, allowPrivate },
      signal,
    );
    const refreshEveryMs = wished === undefined ? snapshot.refreshEveryMs : wished;
    return await settle(deps, { ...snapshot, refreshEveryMs }, outcome, into);
  } finally {
    await removeFile(into);
  }
}

async function settle(
  deps: CaptureDeps,
  snapshot: Snapshot,
  outcome: CaptureOutcome,
  file: string,
): Promise<Refreshed | null> {
  const { itemId, url } = snapshot;
  const item = liveItem(deps, itemId);
  if (item === null) return null;
  if (outcome.kind === "unchanged") {
    note(deps, { ...snapshot, validators: outcome.validators, failures: 0 }, null);
    return { itemId, url, outcome: "unchanged", reason: null };
  }
  if (outcome.kind === "captured" && outcome.extension !== path.extname(item.conceptId).toLowerCase()) {
    const reason = `what is there now is of another kind (${outcome.extension.slice(1)}): capture it anew`;
    return noteFailure(deps, snapshot, "failed", reason);
  }
  if (outcome.kind !== "captured")
    return noteFailure(deps, snapshot, outcome.kind === "gone" ? "gone" : "failed", outcome.reason);
  const { form, validators, hash, warnings } = outcome;
  await replaceFile(file, path.join(deps.registry.rawPath(item.baseId), item.conceptId));
  deps.catalog.transaction(() => {
    note(deps, { ...snapshot, form, validators, hash, warnings, failures: 0 }, null);
    queueIndex(deps, [item], PRIORITY.interactive);
  });
  return { itemId, url, outcome: "changed", reason: null };
}

function noteFailure(
  deps: CaptureDeps,
  snapshot: Snapshot,
  outcome: "gone" | "failed",
  reason: string,
): Refreshed {
  note(deps, { ...snapshot, failures: snapshot.failures + 1 }, `it could not be refreshed: ${reason}`);
  return { itemId: snapshot.itemId, url: snapshot.url, outcome, reason };
}

/** Keeps what is known now; the item may have gone while it was fetched. */
function note(deps: CaptureDeps, snapshot: Snapshot, refreshError: string | null): void {
  const { itemId, refreshEveryMs, failures } = snapshot;
  deps.catalog.transaction(() => {
    if (liveItem(deps, itemId) === null) return;
    const refreshAt = refreshTime(deps.now(), refreshEveryMs, failures);
    deps.catalog.snapshots.put({ ...snapshot, refreshAt });
    deps.catalog.items.setRefreshError(itemId, refreshError);
  });
}

function liveItem({ catalog }: CaptureDeps, itemId: string): Item | null {
  const item = catalog.items.get(itemId);
  return item === undefined || item.status === "deleting" ? null : item;
}

/** K5.2: durable first, then in one step onto the path of the same item. */
async function replaceFile(file: string, target: string): Promise<void> {
  const handle = await open(file, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(file, target);
}
