import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { lstat, mkdir, open, rename, unlink } from "node:fs/promises";
import path from "node:path";
import type { Item } from "../../rpc/contract/items.ts";
import { KnowdError } from "../runtime/errors.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import { removeItems } from "./remove-items.ts";

type PlaceDeps = Pick<IngestDeps, "catalog" | "registry" | "queue" | "now">;

const TEMPORARY = "import-";
const GONE_POLL_MS = 20;

/**
 * K5.2: writes an item's material into its base: a temporary file, made durable, then renamed; an existing target is an error.
 * The temporary one stands in the control folder: what a crash leaves of it is never taken for material.
 */
export async function placeFile(
  deps: Pick<PlaceDeps, "catalog" | "registry">,
  item: Item,
  write: (temporary: string) => Promise<void>,
): Promise<void> {
  const target = path.join(deps.registry.rawPath(item.baseId), item.conceptId);
  await mkdir(path.dirname(target), { recursive: true });
  const temporary = temporaryFor(deps, item.baseId);
  try {
    await write(temporary);
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
  const status = deps.catalog.items.get(item.id)?.status;
  // Somebody may have queued the item already, who found no file yet: it is read when the import queues it.
  if (status !== undefined && status !== "deleting") return;
  // The delete may have come first.
  await unlink(target).catch(() => undefined);
  throw new KnowdError("ITEM_DELETING", { itemId: item.id, reason: "it was deleted while it was added" });
}

/** The material of an item that was just made; it is forgotten again when that can't be written. */
export async function placeNew(
  deps: Pick<PlaceDeps, "catalog" | "registry">,
  item: Item,
  write: (temporary: string) => Promise<void>,
): Promise<void> {
  try {
    await placeFile(deps, item, write);
  } catch (error) {
    forgetUnwritten(deps, item);
    throw error;
  }
}

/** A new path for a file that is not complete yet: on the disk of the base, and taken away at the next start. */
export function temporaryFor(deps: Pick<PlaceDeps, "registry">, baseId: string): string {
  return path.join(controlFolder(deps, baseId), TEMPORARY + randomUUID());
}

/** At start: takes away what imports and copies that a crash cut off have left. */
export function dropCutOffImports(deps: Pick<PlaceDeps, "registry">, baseId: string): void {
  const folder = controlFolder(deps, baseId);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    if (name.startsWith(TEMPORARY)) rmSync(path.join(folder, name), { force: true });
  }
}

function controlFolder({ registry }: Pick<PlaceDeps, "registry">, baseId: string): string {
  return path.dirname(registry.indexPath(baseId));
}

/** Nothing was written for this item: its row goes, and what stands at its path is not its own (K5.5). */
export function forgetUnwritten({ catalog }: Pick<PlaceDeps, "catalog">, { id }: Item): void {
  catalog.transaction(() => {
    const status = catalog.items.get(id)?.status;
    // One that is deleted already is taken away by the delete that was begun.
    if (status === undefined || status === "deleting") return;
    catalog.items.beginDelete([id]);
    catalog.items.remove([id]);
  });
}

/** K5.4 replace: the old item goes completely, so that its name is free. */
export async function purge(deps: PlaceDeps, item: Item, signal: AbortSignal): Promise<void> {
  await removeItems(deps, [item.id]);
  while (deps.catalog.items.get(item.id)) {
    signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, GONE_POLL_MS));
  }
}
