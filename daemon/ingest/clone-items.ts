import { constants } from "node:fs";
import { copyFile, lstat, mkdir } from "node:fs/promises";
import path from "node:path";
import type { Item } from "../../rpc/contract/items.ts";
import { PRIORITY } from "../queue/queue.ts";
import { KnowdError } from "../runtime/errors.ts";
import type { ImportDeps } from "./import-files.ts";
import { forgetUnwritten, placeNew } from "./place-material.ts";
import { queueIndex } from "./queue-index.ts";

/** Where clones go: a folder of another base, or its root. */
interface Target {
  readonly baseId: string;
  readonly folder: Item | null;
}

/**
 * Copies an item that its base owns into another base, a folder with all in it as the catalogue knows it (K1.1): name, title
 * and key stay, bytes are copied as they are. Answers how many files were not there to be copied.
 */
export async function cloneOwned(
  deps: ImportDeps,
  item: Item,
  target: Target,
  signal: AbortSignal,
): Promise<number> {
  signal.throwIfAborted();
  if (item.type === "directory") return await cloneFolder(deps, item, target, signal);
  return (await cloneFile(deps, item, target)) ? 0 : 1;
}

/** The items of a folder, or of a base's root, oldest first. */
export function itemsIn(
  { catalog }: Pick<ImportDeps, "catalog">,
  baseId: string,
  groupId: string | null,
): Item[] {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = catalog.items.list({ baseId, groupId, limit: 100, cursor });
    items.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return items.reverse();
}

async function cloneFolder(
  deps: ImportDeps,
  item: Item,
  target: Target,
  signal: AbortSignal,
): Promise<number> {
  const folder = createClone(deps, item, target);
  try {
    await mkdir(path.join(deps.registry.rawPath(target.baseId), folder.conceptId), { recursive: true });
  } catch (error) {
    forgetUnwritten(deps, folder);
    throw error;
  }
  let missing = 0;
  for (const child of itemsIn(deps, item.baseId, item.id)) {
    missing += await cloneOwned(deps, child, { baseId: target.baseId, folder }, signal);
  }
  return missing;
}

/** False when there is no file. Throws PATH_INVALID for what is none. */
async function cloneFile(deps: ImportDeps, item: Item, target: Target): Promise<boolean> {
  const source = path.join(deps.registry.rawPath(item.baseId), item.conceptId);
  const found = await lstat(source).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (found === null) return false;
  if (!found.isFile()) {
    throw new KnowdError("PATH_INVALID", {
      path: source,
      reason: `${item.conceptId} is no regular file any more`,
    });
  }
  const clone = createClone(deps, item, target);
  await placeNew(deps, clone, (temporary) =>
    copyFile(source, temporary, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE),
  );
  deps.catalog.snapshots.copy(item.id, clone.id);
  queueIndex(deps, [clone], PRIORITY.interactive);
  return true;
}

function createClone({ catalog }: ImportDeps, item: Item, { baseId, folder }: Target): Item {
  const name = path.posix.basename(item.conceptId);
  return catalog.items.create({
    baseId,
    groupId: folder?.id ?? null,
    sourceId: null,
    type: item.type,
    title: item.title,
    conceptId: folder ? `${folder.conceptId}/${name}` : name,
    path: null,
    sourceKey: catalog.items.sourceKeyOf(item.id),
  });
}
