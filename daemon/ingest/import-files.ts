import { constants } from "node:fs";
import { copyFile, lstat, mkdir, open, readdir, rename, unlink } from "node:fs/promises";
import path from "node:path";
import type { Item } from "../../rpc/contract/items.ts";
import { PRIORITY } from "../queue/queue.ts";
import { KnowdError, toKnowdError } from "../runtime/errors.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import { queueIndex } from "./queue-index.ts";
import { beginDelete, removeItems } from "./remove-items.ts";

export type ConflictStrategy = "rename" | "detect" | "replace";

export interface ImportResult {
  added: { itemId: string; path: string; conceptId: string }[];
  conflicts: { path: string; itemId: string }[];
  failed: { path: string; reason: string }[];
}

export type ImportDeps = Pick<IngestDeps, "catalog" | "registry" | "queue" | "now">;

const GONE_POLL_MS = 20;

/** Copies files and folders into a base (K5.1, K5.2, K5.4). One that fails is reported and fails no other. */
export async function importPaths(
  deps: ImportDeps,
  baseId: string,
  paths: readonly string[],
  strategy: ConflictStrategy,
  signal: AbortSignal,
): Promise<ImportResult> {
  const result: ImportResult = { added: [], conflicts: [], failed: [] };
  for (const source of new Set(paths)) {
    signal.throwIfAborted();
    try {
      await importOne(deps, baseId, source, strategy, result, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      result.failed.push({ path: source, reason: reasonOf(error) });
    }
  }
  return result;
}

async function importOne(
  deps: ImportDeps,
  baseId: string,
  source: string,
  strategy: ConflictStrategy,
  result: ImportResult,
  signal: AbortSignal,
): Promise<void> {
  if (!path.isAbsolute(source)) throw new KnowdError("PATH_INVALID", { reason: "the path must be absolute" });
  const stat = await lstat(source);
  if (!stat.isFile() && !stat.isDirectory()) {
    throw new KnowdError("PATH_INVALID", { reason: "only regular files and folders can be added" });
  }
  const type = stat.isDirectory() ? "directory" : "file";
  const existing = deps.catalog.items.bySourceKey(baseId, type, source);
  if (existing && strategy === "detect") {
    result.conflicts.push({ path: source, itemId: existing.id });
    return;
  }
  if (existing && strategy === "replace") await purge(deps, existing, signal);
  if (type === "directory") await importFolder(deps, baseId, source, null, result, signal);
  else await importFile(deps, baseId, source, null, result);
}

async function importFolder(
  deps: ImportDeps,
  baseId: string,
  source: string,
  parent: Item | null,
  result: ImportResult,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const folder = createItem(deps, baseId, source, parent, "directory");
  await mkdir(path.join(deps.registry.rawPath(baseId), folder.conceptId), { recursive: true });
  result.added.push({ itemId: folder.id, path: source, conceptId: folder.conceptId });
  for (const entry of await readdir(source, { withFileTypes: true })) {
    const child = path.join(source, entry.name);
    try {
      if (entry.isDirectory()) await importFolder(deps, baseId, child, folder, result, signal);
      else if (entry.isFile()) await importFile(deps, baseId, child, folder, result);
    } catch (error) {
      if (signal.aborted) throw error;
      result.failed.push({ path: child, reason: reasonOf(error) });
    }
  }
}

async function importFile(
  deps: ImportDeps,
  baseId: string,
  source: string,
  parent: Item | null,
  result: ImportResult,
): Promise<void> {
  const item = createItem(deps, baseId, source, parent, "file");
  try {
    await copyInto(source, path.join(deps.registry.rawPath(baseId), item.conceptId));
  } catch (error) {
    beginDelete(deps, [item.id]);
    throw error;
  }
  queueIndex(deps, [item], PRIORITY.interactive);
  result.added.push({ itemId: item.id, path: source, conceptId: item.conceptId });
}

function createItem(
  deps: ImportDeps,
  baseId: string,
  source: string,
  parent: Item | null,
  type: "file" | "directory",
): Item {
  const name = path.basename(source);
  return deps.catalog.items.create({
    baseId,
    groupId: parent?.id ?? null,
    sourceId: null,
    type,
    title: name,
    conceptId: parent ? `${parent.conceptId}/${name}` : name,
    path: null,
    sourceKey: source,
  });
}

/** K5.2: a temporary file, made durable, then renamed; an existing target is an error. */
async function copyInto(source: string, target: string): Promise<void> {
  await mkdir(path.dirname(target), { recursive: true });
  const temporary = path.join(
    path.dirname(target),
    `.import-${process.pid}-${Date.now()}-${path.basename(target).slice(0, 80)}`,
  );
  try {
    await copyFile(source, temporary, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    const handle = await open(temporary, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    const taken = await lstat(target).catch(() => null);
    if (taken) throw new KnowdError("PATH_INVALID", { reason: "a file stands at the target already" });
    await rename(temporary, target);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

/** K5.4 replace: the old item goes completely, so that its name is free. */
async function purge(deps: ImportDeps, item: Item, signal: AbortSignal): Promise<void> {
  await removeItems(deps, [item.id]);
  while (deps.catalog.items.get(item.id)) {
    signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, GONE_POLL_MS));
  }
}

function reasonOf(error: unknown): string {
  const known = toKnowdError(error);
  return typeof known.data["reason"] === "string" ? known.data["reason"] : known.message;
}
