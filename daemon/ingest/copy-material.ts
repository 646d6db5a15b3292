import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, open, readFile, rename, rm, unlink } from "node:fs/promises";
import path from "node:path";
import type { Item } from "../../rpc/contract/items.ts";
import { toSystemPath } from "../../workers/path-bytes.ts";
import type { IngestDeps } from "./ingest-deps.ts";

type CopyDeps = Pick<IngestDeps, "catalog" | "registry" | "log">;

/**
 * K11.4: a source with `copy: true` keeps each file's bytes in the base, so that they can be opened when the folder is
 * away. Called after the revision is indexed; only the bytes that were indexed are kept, others come with their own change.
 * A failure is logged: the file answers, and is copied with its next change or reindex.
 */
export async function copyMaterial(deps: CopyDeps, item: Item, byteHash: string): Promise<void> {
  if (item.sourceId === null || item.path === null) return;
  if (deps.catalog.sources.get(item.sourceId)?.copy !== true) return;
  const target = path.join(deps.registry.rawPath(item.baseId), item.conceptId);
  try {
    const bytes = await readFile(toSystemPath(item.path));
    if (createHash("sha256").update(bytes).digest("hex") !== byteHash) return;
    await writeDurably(target, bytes);
  } catch (error) {
    deps.log.warn({ item: item.conceptId, error: String(error) }, "a file could not be copied into its base");
  }
}

/** Takes copies out of the base that no item stands for any more, since their files moved (the new place gets its own). */
export async function dropCopies(
  { registry }: Pick<CopyDeps, "registry">,
  baseId: string,
  conceptIds: readonly string[],
): Promise<void> {
  for (const conceptId of conceptIds)
    await rm(path.join(registry.rawPath(baseId), conceptId), { force: true });
}

/** Whether copies of this item's source may lie in the base: deleting the item then removes its path there too. */
export function mayHaveCopy(deps: Pick<CopyDeps, "registry">, item: Item): boolean {
  const top = item.conceptId.split("/", 1)[0] ?? "";
  return existsSync(path.join(deps.registry.rawPath(item.baseId), top));
}

/** A temporary file, made durable, then renamed over the copy before. */
async function writeDurably(target: string, bytes: Buffer): Promise<void> {
  await mkdir(path.dirname(target), { recursive: true });
  const temporary = path.join(path.dirname(target), `.copy-${randomUUID()}`);
  try {
    const handle = await open(temporary, "wx", 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}
