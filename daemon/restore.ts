import { lstat } from "node:fs/promises";
import path from "node:path";
import type { Params, Result } from "../rpc/contract/index.ts";
import type { Item } from "../rpc/contract/items.ts";
import type { Bases } from "./bases.ts";
import { cloneOwned, itemsIn } from "./ingest/clone-items.ts";
import type { IngestDeps } from "./ingest/ingest-deps.ts";
import type { AddSource } from "./sources.ts";

export type Restore = (
  params: Params<"base.restore">,
  signal: AbortSignal,
) => Promise<Result<"base.restore">>;

export interface RestoreDeps {
  readonly ingest: IngestDeps;
  readonly bases: Bases;
  readonly addSource: AddSource;
}

type Counts = Omit<Result<"base.restore">, "base">;

/**
 * K3.4: clones the root items of a base, failed or not, into a new base with a model of choice. Owned bytes are copied,
 * watched folders are watched there too; missing ones are skipped and counted, ones that can't be verified are kept.
 * A failure on the way deletes the new base; the old one is untouched.
 */
export function createRestore(deps: RestoreDeps): Restore {
  return async (params, signal) => {
    const { catalog } = deps.ingest;
    const old = catalog.bases.require(params.baseId);
    const {
      id: _id,
      name,
      status: _status,
      error: _error,
      dimensions: _d,
      createdAt: _c,
      updatedAt: _u,
      ...settings
    } = old;
    const created = await deps.bases.create({
      ...settings,
      name: params.name ?? freeName(deps, `${name} (restored)`),
      embeddingModelId:
        params.embeddingModelId === undefined ? old.embeddingModelId : params.embeddingModelId,
    });
    try {
      const counts: Counts = { added: 0, skipped: 0, unverified: 0 };
      for (const item of itemsIn(deps.ingest, old.id, null)) {
        signal.throwIfAborted();
        await cloneRoot(deps, item, created.id, counts, signal);
      }
      return { base: deps.bases.view(catalog.bases.require(created.id)), ...counts };
    } catch (error) {
      await deps.bases.remove(created.id);
      throw error;
    }
  };
}

async function cloneRoot(
  deps: RestoreDeps,
  item: Item,
  baseId: string,
  counts: Counts,
  signal: AbortSignal,
): Promise<void> {
  const { catalog, registry } = deps.ingest;
  const source = catalog.sources.all().find((candidate) => candidate.itemId === item.id);
  const place = source?.path ?? path.join(registry.rawPath(item.baseId), item.conceptId);
  const found = await lstat(place).then(
    () => "there" as const,
    (error: NodeJS.ErrnoException) =>
      error.code === "ENOENT" ? ("missing" as const) : ("unverified" as const),
  );
  if (found === "missing") {
    counts.skipped++;
    return;
  }
  if (!source) {
    counts.skipped += await cloneOwned(deps.ingest, item, { baseId, folder: null }, signal);
    counts.added++;
    return;
  }
  const { include, exclude, useIgnoreFiles, hidden, maxFileBytes, copy } = source;
  await deps.addSource(
    { baseId, path: source.path, include, exclude, useIgnoreFiles, hidden, maxFileBytes, copy },
    { mayBeUnreadable: true },
  );
  counts[found === "there" ? "added" : "unverified"]++;
}

function freeName(deps: RestoreDeps, wanted: string): string {
  const taken = new Set(deps.ingest.catalog.bases.all().map((base) => base.name));
  let name = wanted;
  for (let n = 2; taken.has(name); n++) name = `${wanted} ${n}`;
  return name;
}
