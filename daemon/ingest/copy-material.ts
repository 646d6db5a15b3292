import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, open, rename, unlink } from "node:fs/promises";
import path from "node:path";
import type { Item } from "../../rpc/contract/items.ts";
import { toSystemPath } from "../../workers/path-bytes.ts";
import { OPEN_FLAGS } from "../runtime/open-flags.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import { temporaryFor } from "./place-material.ts";

type CopyDeps = Pick<IngestDeps, "catalog" | "registry" | "log">;

/** Read, hashed and written at a time: a large file must hold neither the loop nor memory. */
const CHUNK_BYTES = 1024 * 1024;
/** There is no file at the path, whatever else is. */
const NO_FILE: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR", "EISDIR", "EPERM"]);

/**
 * K11.4: a source with `copy: true` keeps each file's bytes in the base, so that they can be opened when the folder is
 * away. Called after the revision is indexed; only the bytes that were indexed are kept, others come with their own change.
 * A failure is logged: the file answers, and is copied with its next change or reindex.
 */
export async function copyMaterial(deps: CopyDeps, item: Item, byteHash: string): Promise<void> {
  if (item.sourceId === null || item.path === null) return;
  if (deps.catalog.sources.get(item.sourceId)?.copy !== true) return;
  const target = path.join(deps.registry.rawPath(item.baseId), item.conceptId);
  const temporary = temporaryFor(deps, item.baseId);
  try {
    if ((await copyBytes(item.path, temporary)) === byteHash) {
      await mkdir(path.dirname(target), { recursive: true });
      await rename(temporary, target);
    }
  } catch (error) {
    deps.log.warn({ item: item.conceptId, error: String(error) }, "a file could not be copied into its base");
  } finally {
    await removeFile(temporary);
  }
}

/** Copies a file as long as it was when it was opened, durably. Answers the hash of what was copied. */
async function copyBytes(from: string, to: string): Promise<string> {
  const source = await open(toSystemPath(from), OPEN_FLAGS);
  try {
    const stats = await source.stat();
    if (!stats.isFile()) throw new Error("it is no regular file any more");
    const copy = await open(to, "wx", 0o600);
    try {
      const hash = createHash("sha256");
      const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, stats.size));
      for (let at = 0; at < stats.size;) {
        const { bytesRead } = await source.read(buffer, 0, Math.min(buffer.length, stats.size - at), at);
        if (bytesRead === 0) break;
        const bytes = buffer.subarray(0, bytesRead);
        hash.update(bytes);
        await copy.writeFile(bytes);
        at += bytesRead;
      }
      await copy.sync();
      return hash.digest("hex");
    } finally {
      await copy.close();
    }
  } finally {
    await source.close();
  }
}

/** Takes copies out of the base that no item stands for any more, since their files moved (the new place gets its own). */
export async function dropCopies(
  { registry }: Pick<CopyDeps, "registry">,
  baseId: string,
  conceptIds: readonly string[],
): Promise<void> {
  for (const conceptId of conceptIds) await removeFile(path.join(registry.rawPath(baseId), conceptId));
}

/** Whether copies of this item's source may lie in the base: deleting the item then removes its path there too. */
export function mayHaveCopy(deps: Pick<CopyDeps, "registry">, item: Item): boolean {
  const top = item.conceptId.split("/", 1)[0] ?? "";
  return existsSync(path.join(deps.registry.rawPath(item.baseId), top));
}

/** Removes the file at a path; that there is none, or a folder in its place, is fine (K5.5). */
export async function removeFile(target: string): Promise<void> {
  await unlink(target).catch((error: NodeJS.ErrnoException) => {
    if (!NO_FILE.has(error.code)) throw error;
  });
}
