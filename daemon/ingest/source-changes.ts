import path from "node:path";
import type { Source } from "../../rpc/contract/sources.ts";
import { displayPath } from "../../workers/path-bytes.ts";
import { PRIORITY } from "../queue/queue.ts";
import { createSlicer } from "../runtime/yielding.ts";
import type { NewJob } from "../storage/catalog/contract.ts";
import type { LedgerRow } from "../storage/catalog/ledger-contract.ts";
import { dropCopies } from "./copy-material.ts";
import { removeEmptyFolders } from "./empty-folders.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import { isGone } from "./is-gone.ts";
import { beginDelete } from "./remove-items.ts";
import { conceptIdBelow, type SourceTree } from "./source-tree.ts";
import type { Unrest } from "./unrest.ts";
import type { ChangeOrigin, FileChange } from "./watch-contract.ts";

export type ChangeDeps = Pick<IngestDeps, "catalog" | "registry" | "queue" | "settings" | "now">;

/** Files of one catalogue transaction: each commit is an fsync, and no slice may hold the loop. */
const FILES_PER_TRANSACTION = 64;
const SLICE_MS = 8;

/**
 * Writes what the watcher saw into ledger, items and queue, together, so that a crash loses neither half.
 * Answers the paths whose old item is still being deleted: they must be looked at again when it is gone.
 */
export async function applyChanged(
  deps: ChangeDeps,
  { tree, unrest }: { readonly tree: SourceTree; readonly unrest: Unrest },
  source: Source,
  files: readonly FileChange[],
  origin: ChangeOrigin,
): Promise<string[]> {
  const slicer = createSlicer(SLICE_MS);
  const later: string[] = [];
  for (let at = 0; at < files.length; at += FILES_PER_TRANSACTION) {
    await slicer.yield();
    const slice = files.slice(at, at + FILES_PER_TRANSACTION);
    const left: Left = { folders: [], copies: [] };
    deps.catalog.transaction(() => {
      const jobs: NewJob[] = [];
      for (const file of slice) {
        const itemId = recordFile(deps, tree, source, file, left);
        if (itemId === null) later.push(file.path);
        else if (file.refused === null) jobs.push(indexJob(deps, unrest, source, itemId, file, origin));
      }
      deps.queue.enqueue(jobs);
      removeEmptyFolders(deps.catalog, left.folders);
    });
    if (source.copy) await dropCopies(deps, source.baseId, left.copies);
  }
  return later;
}

/** What moved files leave behind: the folder items they were in, and the places of their copies in the base. */
interface Left {
  readonly folders: (string | null)[];
  readonly copies: string[];
}

/**
 * The item of a changed file: the one it had, the one of a file that was moved here, or a new one; null while it is
 * deleted. What a moved file has left behind is added to `left`.
 */
function recordFile(
  deps: ChangeDeps,
  tree: SourceTree,
  source: Source,
  file: FileChange,
  left: Left,
): string | null {
  const { catalog } = deps;
  const known = catalog.ledger.get(source.id, file.path);
  const row = known ?? renamedFrom(deps, source, file);
  if (row && catalog.items.get(row.itemId)?.status === "deleting") return null;
  if (row && row.path !== file.path) moveItem(deps, tree, source, row, file, left);
  if (row?.missingSince != null) {
    catalog.ledger.setMissing(source.id, [file.path], null);
    catalog.items.setMissing([row.itemId], null);
  }
  const itemId = row?.itemId ?? createItem(deps, tree, source, file);
  catalog.ledger.put([
    {
      sourceId: source.id,
      path: file.path,
      itemId,
      stamp: file.stamp,
      byteHash: row?.byteHash ?? null,
      parser: row?.parser ?? null,
    },
  ]);
  if (file.refused !== null) refuse(deps, itemId, file);
  return itemId;
}

/** K11.1: an unknown path with the inode of a file that is no longer where it was is that file, moved. */
function renamedFrom(deps: ChangeDeps, source: Source, file: FileChange): LedgerRow | undefined {
  return deps.catalog.ledger
    .byInode(source.id, file.stamp.dev, file.stamp.ino)
    .find(
      (row) =>
        row.stamp.size === file.stamp.size &&
        row.stamp.mtimeNs === file.stamp.mtimeNs &&
        (row.missingSince !== null || isGone(source, row)),
    );
}

function moveItem(
  deps: ChangeDeps,
  tree: SourceTree,
  source: Source,
  row: LedgerRow,
  file: FileChange,
  left: Left,
): void {
  const before = deps.catalog.items.require(row.itemId);
  const parent = tree.parentOf(source, file.path);
  const name = path.posix.basename(file.path);
  deps.catalog.ledger.rename(source.id, row.path, file.path, file.stamp);
  deps.catalog.items.move(row.itemId, {
    path: path.posix.join(source.path, file.path),
    conceptId: conceptIdBelow(parent, name),
    title: displayPath(name),
    groupId: parent.id,
  });
  if (before.groupId !== parent.id) left.folders.push(before.groupId);
  left.copies.push(before.conceptId);
}

function createItem(deps: ChangeDeps, tree: SourceTree, source: Source, file: FileChange): string {
  const parent = tree.parentOf(source, file.path);
  const name = path.posix.basename(file.path);
  const absolute = path.posix.join(source.path, file.path);
  return deps.catalog.items.create({
    baseId: source.baseId,
    groupId: parent.id,
    sourceId: source.id,
    type: "file",
    title: displayPath(name),
    conceptId: conceptIdBelow(parent, name),
    path: absolute,
    sourceKey: absolute,
  }).id;
}

/** Listed with its reason, not read. A revision from when it could be read goes on answering, and says why it is old (K8.5). */
function refuse(deps: ChangeDeps, itemId: string, file: FileChange): void {
  const reason = file.refused ?? "it can't be read";
  deps.catalog.jobs.cancelOfItems([itemId]);
  if (deps.catalog.items.get(itemId)?.contentHash != null) deps.catalog.items.setRefreshError(itemId, reason);
  else deps.catalog.items.fail(itemId, reason, { failure: "too_large", sizeBytes: file.stamp.size });
}

function indexJob(
  deps: ChangeDeps,
  unrest: Unrest,
  source: Source,
  itemId: string,
  file: FileChange,
  origin: ChangeOrigin,
): NewJob {
  const { settleMs, settleEmptyMs } = deps.settings;
  const settle = file.stamp.size === 0 ? settleEmptyMs : settleMs;
  const now = deps.now();
  const settled = Number(BigInt(file.stamp.mtimeNs) / 1_000_000n) + settle;
  return {
    kind: "index",
    baseId: source.baseId,
    itemId,
    sourceId: source.id,
    priority: origin === "event" ? PRIORITY.interactive : PRIORITY.bulk,
    // A clock that runs ahead in the file system must not put the file off for ever.
    runAfter: unrest.isOverdue(itemId, now, settle) ? now : Math.min(Math.max(settled, now), now + settle),
  };
}

/** Files that lstat no longer finds: hidden at once, kept until the grace period has passed (K11.2). */
export async function applyGone(deps: ChangeDeps, source: Source, paths: readonly string[]): Promise<void> {
  await inSlices(deps, paths, (slice) => {
    const rows = slice.flatMap((gone) => deps.catalog.ledger.get(source.id, gone) ?? []);
    const since = deps.now();
    deps.catalog.ledger.setMissing(
      source.id,
      rows.map((row) => row.path),
      since,
    );
    deps.catalog.items.setMissing(
      rows.map((row) => row.itemId),
      since,
    );
  });
}

/** Files that the rules leave out from now on: the user asked for it, so there is no grace period. */
export async function applyExcluded(
  deps: ChangeDeps,
  source: Source,
  paths: readonly string[],
): Promise<void> {
  await inSlices(deps, paths, (slice) => {
    const rows = slice.flatMap((excluded) => deps.catalog.ledger.get(source.id, excluded) ?? []);
    beginDelete(
      deps,
      rows.map((row) => row.itemId),
    );
  });
}

async function inSlices(
  deps: ChangeDeps,
  paths: readonly string[],
  apply: (slice: readonly string[]) => void,
): Promise<void> {
  const slicer = createSlicer(SLICE_MS);
  for (let at = 0; at < paths.length; at += FILES_PER_TRANSACTION) {
    deps.catalog.transaction(() => apply(paths.slice(at, at + FILES_PER_TRANSACTION)));
    await slicer.pause();
  }
}
