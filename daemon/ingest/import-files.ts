import { constants } from "node:fs";
import { copyFile, lstat, mkdir, readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import type { Result } from "../../rpc/contract/index.ts";
import type { Item } from "../../rpc/contract/items.ts";
import { displayPath, escapePath, toSystemPath } from "../../workers/path-bytes.ts";
import { isLeftOut } from "../../workers/watch/left-out.ts";
import { PRIORITY } from "../queue/queue.ts";
import { KnowdError, toKnowdError } from "../runtime/errors.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import { forgetUnwritten, placeNew, purge } from "./place-material.ts";
import { queueIndex } from "./queue-index.ts";

/** What becomes of an item that is there already: both are kept, or the new one takes its place (K5.4). */
export type ConflictStrategy = "rename" | "replace";

export type ImportResult = Result<"item.add">;

/** What was added and what could not be. */
export type Imported = Pick<ImportResult, "added" | "failed">;

export type ImportDeps = Pick<IngestDeps, "catalog" | "registry" | "queue" | "settings" | "now">;

/** Copies files and folders into a base (K5.1, K5.2, K5.4). One that fails is reported and fails no other. */
export async function importPaths(
  deps: ImportDeps,
  baseId: string,
  paths: readonly string[],
  strategy: ConflictStrategy,
  signal: AbortSignal,
): Promise<Imported> {
  const result: Imported = { added: [], failed: [] };
  for (const source of distinct(paths)) {
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

/** K5.4: those of the paths that are in the base already. One that can't be looked at is none: adding it says why. */
export async function pathConflicts(
  deps: ImportDeps,
  baseId: string,
  paths: readonly string[],
): Promise<ImportResult["conflicts"]> {
  const conflicts: ImportResult["conflicts"] = [];
  for (const source of distinct(paths)) {
    const existing = await existingItem(deps, baseId, source).catch(() => undefined);
    if (existing) conflicts.push({ path: source, itemId: existing.id });
  }
  return conflicts;
}

function distinct(paths: readonly string[]): string[] {
  return [...new Set(paths.map((given) => (path.isAbsolute(given) ? path.resolve(given) : given)))];
}

async function importOne(
  deps: ImportDeps,
  baseId: string,
  source: string,
  strategy: ConflictStrategy,
  result: Imported,
  signal: AbortSignal,
): Promise<void> {
  const type = await typeOf(source);
  await refuseOwnFiles(deps, baseId, source);
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
  result: Imported,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  // The bases' own folder would be copied into itself without end.
  if (await isOwnFolder(deps, baseId, source)) return;
  const entries = await readdir(toSystemPath(source), { withFileTypes: true, encoding: "buffer" });
  const folder = createItem(deps, baseId, source, parent, "directory");
  try {
    await mkdir(path.join(deps.registry.rawPath(baseId), folder.conceptId), { recursive: true });
  } catch (error) {
    forgetUnwritten(deps, folder);
    throw error;
  }
  result.added.push({ itemId: folder.id, path: source, conceptId: folder.conceptId });
  for (const entry of entries) {
    const name = escapePath(entry.name);
    const child = path.join(source, name);
    if (isLeftOut(name, entry.isDirectory(), false)) continue;
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
  result: Imported,
): Promise<void> {
  await refuseLarge(source, deps.settings.maxFileBytes);
  const item = createItem(deps, baseId, source, parent, "file");
  await placeNew(deps, item, (temporary) =>
    copyFile(toSystemPath(source), temporary, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE),
  );
  queueIndex(deps, [item], PRIORITY.interactive);
  result.added.push({ itemId: item.id, path: source, conceptId: item.conceptId });
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

/** Whether this is the daemon's data folder or its folder of all bases, by whatever name it was reached. */
async function isOwnFolder(deps: ImportDeps, baseId: string, folder: string): Promise<boolean> {
  const bases = basesFolder(deps, baseId);
  const found = await lstat(toSystemPath(folder), { bigint: true });
  for (const own of [bases, path.dirname(bases)]) {
    const { dev, ino } = await stat(own, { bigint: true });
    if (found.dev === dev && found.ino === ino) return true;
  }
  return false;
}

/** Of the daemon's own files only a base's material may be copied: reading an open database drops its locks. */
async function refuseOwnFiles(deps: ImportDeps, baseId: string, source: string): Promise<void> {
  const bases = await realpath(basesFolder(deps, baseId));
  const real = escapePath(await realpath(toSystemPath(source), { encoding: "buffer" }));
  const [base, part] = path.relative(bases, real).split(path.sep);
  if (!`${real}${path.sep}`.startsWith(`${path.dirname(bases)}${path.sep}`)) return;
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

const systemReasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  EACCES: "reading it is not permitted",
  EPERM: "reading it is not permitted",
  ENAMETOOLONG: "its name is too long",
};

export function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const reason = systemReasons[code];
  if (reason !== undefined) return reason;
  const known = toKnowdError(error);
  return typeof known.data["reason"] === "string" ? known.data["reason"] : known.message;
}
