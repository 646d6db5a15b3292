import type { Bases } from "../bases.ts";
import type { IngestDeps } from "../ingest/ingest-deps.ts";
import { queueReindex } from "../ingest/queue-index.ts";
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
  const { catalog, registry } = ingest;
  return {
    "base.create": async (params) => ({ base: await bases.create(params) }),
    "base.list": (params) => {
      const { items, ...rest } = catalog.bases.list(params);
      return { items: items.map(bases.view), ...rest };
    },
    "base.get": ({ baseId }) => ({ base: bases.view(catalog.bases.require(baseId)) }),
    "base.update": (params) => ({ base: bases.update(params) }),
    "base.enableEmbedding": async ({ baseId, embeddingModelId }) => ({
      base: await bases.enableEmbedding(baseId, embeddingModelId),
    }),
    "base.restore": async (params, call) => await restore(params, call.signal),
    "base.reindex": ({ baseId, staleOnly }) => {
      catalog.bases.require(baseId);
      return {
        queued: queueReindex(ingest, catalog.items.leavesOfBase(baseId, { staleOnly }), PRIORITY.bulk),
      };
    },
    "base.check": async ({ baseId }) => {
      catalog.bases.require(baseId);
      return await registry.check(baseId);
    },
    "base.delete": async ({ baseId }) => {
      await bases.remove(baseId);
      return {};
    },
  };
}
