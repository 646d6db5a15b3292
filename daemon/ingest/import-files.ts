import { randomUUID } from "node:crypto";
import { constants, existsSync, readdirSync, rmSync } from "node:fs";
import { copyFile, lstat, mkdir, open, readdir, rename, unlink } from "node:fs/promises";
import path from "node:path";
import type { Item } from "../../rpc/contract/items.ts";
import { displayPath, escapePath, toSystemPath } from "../../workers/path-bytes.ts";
import { isLeftOut } from "../../workers/watch/left-out.ts";
import { PRIORITY } from "../queue/queue.ts";
import { KnowdError, toKnowdError } from "../runtime/errors.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import { queueIndex } from "./queue-index.ts";
import { removeItems } from "./remove-items.ts";

export type ConflictStrategy = "rename" | "detect" | "replace";

export interface ImportResult {
  added: { itemId: string; path: string; conceptId: string }[];
  conflicts: { path: string; itemId: string }[];
  failed: { path: string; reason: string }[];
}

export type ImportDeps = Pick<IngestDeps, "catalog" | "registry" | "queue" | "settings" | "now">;

const GONE_POLL_MS = 20;

/**
 * Copies files and folders into a base (K5.1, K5.2, K5.4). One that fails is reported and fails no other; with the strategy
 * `detect` nothing is written when one of them is there already.
 */
export async function importPaths(
  deps: ImportDeps,
  baseId: string,
  paths: readonly string[],
  strategy: ConflictStrategy,
  signal: AbortSignal,
): Promise<ImportResult> {
  const result: ImportResult = { added: [], conflicts: [], failed: [] };
  const sources = [...new Set(paths.map((given) => (path.isAbsolute(given) ? path.resolve(given) : given)))];
  if (strategy === "detect") {
    for (const source of sources) {
      const existing = await existingItem(deps, baseId, source).catch(() => undefined);
      if (existing) result.conflicts.push({ path: source, itemId: existing.id });
    }
    if (result.conflicts.length > 0) return result;
  }
  for (const source of sources) {
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
  refuseOwnFiles(deps, baseId, source);
  const type = await typeOf(source);
  const existing = await existingItem(deps, baseId, source);
  if (existing && strategy === "replace") {
    if (existing.path !== null) {
      throw new KnowdError("PATH_INVALID", {
        reason: "it is in the base already, as part of a watched folder",
      });
    }
    await purge(deps, existing, signal);
  }
  if (type === "directory") await importFolder(deps, baseId, source, null, result, signal);
  else await importFile(deps, baseId, source, null, result);
}

/** Throws PATH_INVALID for what is neither a file nor a folder, and what lstat throws. */
async function typeOf(source: string): Promise<"file" | "directory"> {
  if (!path.isAbsolute(source)) throw new KnowdError("PATH_INVALID", { reason: "the path must be absolute" });
  const stat = await lstat(toSystemPath(source));
  if (!stat.isFile() && !stat.isDirectory()) {
    throw new KnowdError("PATH_INVALID", { reason: "only regular files and folders can be added" });
  }
  return stat.isDirectory() ? "directory" : "file";
}

/** K5.4: what the base has of this path already. */
async function existingItem(deps: ImportDeps, baseId: string, source: string): Promise<Item | undefined> {
  return deps.catalog.items.bySourceKey(baseId, await typeOf(source), source);
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
  for (const entry of await readdir(toSystemPath(source), { withFileTypes: true, encoding: "buffer" })) {
    const name = escapePath(entry.name);
    const child = path.join(source, name);
    // The bases' own folder would be copied into itself without end.
    if (isLeftOut(name, entry.isDirectory(), false) || isOwnFolder(deps, baseId, child)) continue;
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
  await refuseLarge(source, deps.settings.maxFileBytes);
  const item = createItem(deps, baseId, source, parent, "file");
  const target = path.join(deps.registry.rawPath(baseId), item.conceptId);
  try {
    await copyInto(source, target, path.dirname(deps.registry.indexPath(baseId)));
  } catch (error) {
    forget(deps, item);
    throw error;
  }
  if (deps.catalog.items.get(item.id)?.status !== "idle") {
    await unlink(target);
    throw new KnowdError("ITEM_DELETING", { itemId: item.id, reason: "it was deleted while it was added" });
  }
  queueIndex(deps, [item], PRIORITY.interactive);
  result.added.push({ itemId: item.id, path: source, conceptId: item.conceptId });
}

/** Nothing was written for this item: its row goes, and what stands at its path is not its own (K5.5). */
function forget({ catalog }: ImportDeps, { id }: Item): void {
  catalog.transaction(() => {
    // One that is deleted already is taken away by the delete that was begun.
    if (catalog.items.get(id)?.status !== "idle") return;
    catalog.items.beginDelete([id]);
    catalog.items.remove([id]);
  });
}

/** What would not be read is not copied either. */
async function refuseLarge(source: string, maxBytes: number): Promise<void> {
  const { size } = await lstat(toSystemPath(source));
  if (size <= maxBytes) return;
  throw new KnowdError("PATH_INVALID", {
    reason: `it has ${size} bytes, more than the ${maxBytes} that ingest.maxFileBytes allows`,
  });
}

function basesFolder({ registry }: ImportDeps, baseId: string): string {
  return path.dirname(path.dirname(registry.rawPath(baseId)));
}

/** Whether all bases lie below this folder, which is the daemon's own. */
function isOwnFolder(deps: ImportDeps, baseId: string, folder: string): boolean {
  const bases = basesFolder(deps, baseId);
  return folder === bases || folder === path.dirname(bases);
}

/** Of the daemon's own files only a base's material may be copied: reading an open database drops its locks. */
function refuseOwnFiles(deps: ImportDeps, baseId: string, source: string): void {
  const bases = basesFolder(deps, baseId);
  const [base, part] = path.relative(bases, source).split(path.sep);
  if (!`${source}${path.sep}`.startsWith(`${path.dirname(bases)}${path.sep}`)) return;
  if (base !== ".." && part === "raw") return;
  throw new KnowdError("PATH_INVALID", { reason: "it lies in knowd's own data folder" });
}

function createItem(
  deps: ImportDeps,
  baseId: string,
  source: string,
  parent: Item | null,
  type: "file" | "directory",
): Item {
  const name = displayPath(path.basename(source));
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

const TEMPORARY = "import-";

/**
 * K5.2: a temporary file, made durable, then renamed; an existing target is an error. The temporary one stands in the
 * control folder: what a crash leaves of it is never taken for material.
 */
async function copyInto(source: string, target: string, controlFolder: string): Promise<void> {
  await mkdir(path.dirname(target), { recursive: true });
  const temporary = path.join(controlFolder, TEMPORARY + randomUUID());
  try {
    await copyFile(toSystemPath(source), temporary, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
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

/** At start: takes away what imports that a crash cut off have left. */
export function dropCutOffImports({ registry }: Pick<ImportDeps, "registry">, baseId: string): void {
  const controlFolder = path.dirname(registry.indexPath(baseId));
  if (!existsSync(controlFolder)) return;
  for (const name of readdirSync(controlFolder)) {
    if (name.startsWith(TEMPORARY)) rmSync(path.join(controlFolder, name), { force: true });
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

const systemReasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  EACCES: "reading it is not permitted",
  EPERM: "reading it is not permitted",
  ENAMETOOLONG: "its name is too long",
};

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const reason = systemReasons[code];
  if (reason !== undefined) return reason;
  const known = toKnowdError(error);
  return typeof known.data["reason"] === "string" ? known.data["reason"] : known.message;
}
