import type { Bases } from "../bases.ts";
import { checkBase } from "../ingest/check-base.ts";
import type { IngestDeps } from "../ingest/ingest-deps.ts";
import { reindexVerified } from "../ingest/queue-index.ts";
import { PRIORITY } from "../queue/queue.ts";
import type { Restore } from "../restore.ts";
import type { Services } from "./call.ts";

type BaseMethod =
  | "base.create"
  | "base.list"
  | "base.get"
  | "base.update"
  | "base.enableEmbedding"
  | "base.restore"
  | "base.reindex"
  | "base.check"
  | "base.delete";

export interface BaseServiceDeps {
  readonly ingest: IngestDeps;
  readonly bases: Bases;
  readonly restore: Restore;
}

export function createBaseService({ ingest, bases, restore }: BaseServiceDeps): Services<BaseMethod> {
  const { catalog } = ingest;
  return {
    "base.create": async (params) => ({ base: await bases.create(params) }),
    "base.list": (page, { scope: { baseIds } }) => {
      const { items, ...rest } = catalog.bases.list({ ...page, baseIds });
      return { items: items.map((base) => bases.view(base)), ...rest };
    },
    "base.get": ({ baseId }) => ({ base: bases.view(catalog.bases.require(baseId)) }),
    "base.update": async (params) => ({ base: await bases.update(params) }),
    "base.enableEmbedding": async ({ baseId, embeddingModelId }) => ({
      base: await bases.enableEmbedding(baseId, embeddingModelId),
    }),
    "base.restore": async (params, call) => await restore(params, call.signal),
    "base.reindex": async ({ baseId, staleOnly }) => {
      catalog.bases.require(baseId);
      const adopted = staleOnly ? null : await bases.adoptModel(baseId);
      if (adopted !== null) return { queued: adopted, refused: 0 };
      return await reindexVerified(ingest, catalog.items.leavesOfBase(baseId, { staleOnly }), PRIORITY.bulk);
    },
    "base.check": async ({ baseId }) => {
      catalog.bases.require(baseId);
      return await checkBase(ingest, baseId);
    },
    "base.delete": async ({ baseId }) => {
      await bases.remove(baseId);
      return {};
    },
  };
}
