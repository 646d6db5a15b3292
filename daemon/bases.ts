import { randomUUID } from "node:crypto";
import type { Base, BaseView } from "../rpc/contract/bases.ts";
import type { Params } from "../rpc/contract/index.ts";
import type { EmbeddingModel } from "./embedding/provider.ts";
import type { IngestDeps } from "./ingest/ingest-deps.ts";
import type { Pipeline } from "./ingest/pipeline.ts";
import { queueReindex } from "./ingest/queue-index.ts";
import { reconcileBase } from "./ingest/reconcile.ts";
import type { SourceSync } from "./ingest/source-sync.ts";
import { PRIORITY } from "./queue/queue.ts";
import { invalidField, KnowdError, toKnowdError } from "./runtime/errors.ts";

export interface BasesDeps extends IngestDeps {
  readonly pipeline: Pipeline;
  readonly sync: SourceSync;
  /** The search host must let go of an index before its folder is removed. */
  readonly closeSearch: (baseId: string) => Promise<void>;
  readonly defaults: {
    readonly chunkSize: number;
    readonly chunkOverlap: number;
    readonly embeddingModelId: string | null;
  };
}

/** The use cases that touch catalogue, index and sources of a base together. */
export interface Bases {
  create(input: Params<"base.create">): Promise<BaseView>;
  update(input: Params<"base.update">): BaseView;
  enableEmbedding(baseId: string, embeddingModelId: string): Promise<BaseView>;
  remove(baseId: string): Promise<void>;
  view(base: Base): BaseView;
  /** At start: a base whose model is not configured any more is failed, one whose model is back is well again (K3.1). */
  checkModels(): void;
  /** Compares a base's index with the catalogue and queues what the index lacks. */
  reconcile(baseId: string, reason: string): Promise<void>;
}

export function openBases(deps: BasesDeps): Bases {
  const { catalog, registry, models, pipeline, sync, log } = deps;
  const removing = new Set<string>();

  const modelOf = (id: string): EmbeddingModel => {
    const model = models.get(id);
    if (!model) throw new KnowdError("MODEL_NOT_FOUND", { embeddingModelId: id, known: models.ids() });
    return model;
  };

  const view = (base: Base): BaseView => {
    const counts = catalog.bases.counts(base.id);
    if (registry.state(base.id) === "rebuilding" && counts.active === 0 && pipeline.inFlight() === 0) {
      registry.setState(base.id, "ready");
    }
    const rebuilding = registry.state(base.id) === "rebuilding";
    const active = counts.active > 0 ? "indexing" : "idle";
    const activity = removing.has(base.id) ? "deleting" : rebuilding ? "rebuilding" : active;
    return { ...base, counts, activity };
  };

  return {
    async create(input) {
      const base = await newBase(deps, input, modelOf);
      return view(base);
    },
    update({ baseId, ...patch }) {
      const base = catalog.bases.require(baseId);
      checkChunking({ ...base, ...defined(patch) });
      return view(catalog.bases.update(baseId, defined(patch)));
    },
    async enableEmbedding(baseId, embeddingModelId) {
      const base = catalog.bases.require(baseId);
      if (base.embeddingModelId !== null)
        throw new KnowdError("BASE_NOT_EMPTY", { embeddingModelId: base.embeddingModelId });
      const dimensions = await modelOf(embeddingModelId).dimensions();
      const updated = catalog.transaction(() => {
        const changed = catalog.bases.update(baseId, { embeddingModelId, dimensions });
        queueReindex(deps, catalog.items.leavesOfBase(baseId), PRIORITY.bulk);
        return changed;
      });
      return view(updated);
    },
    async remove(baseId) {
      catalog.bases.require(baseId);
      removing.add(baseId);
      for (const source of catalog.sources.all()) {
        if (source.baseId === baseId) await sync.unfollow(source.id);
      }
      const release = await pipeline.pauseBase(baseId);
      try {
        catalog.jobs.cancelOfBase(baseId);
        await deps.closeSearch(baseId);
        await registry.destroy(baseId);
        catalog.bases.remove(baseId);
      } finally {
        removing.delete(baseId);
        release();
      }
    },
    view,
    checkModels() {
      for (const base of catalog.bases.all()) {
        const known = base.embeddingModelId === null || models.get(base.embeddingModelId) !== undefined;
        if (!known && base.status === "completed") {
          catalog.bases.update(base.id, { status: "failed", error: "missing_embedding_model" });
          log.warn(
            { base: base.name, model: base.embeddingModelId },
            "the base's embedding model is not configured",
          );
        }
        if (known && base.error === "missing_embedding_model") {
          catalog.bases.update(base.id, { status: "completed", error: null });
        }
      }
    },
    async reconcile(baseId, reason) {
      try {
        const { lost, orphans } = await reconcileBase(deps, baseId);
        if (lost > 0) registry.setState(baseId, "rebuilding");
        if (lost + orphans > 0)
          log.warn({ baseId, lost, orphans, reason }, "the index was brought in line with the catalogue");
      } catch (error) {
        log.error(
          { baseId, reason, error: toKnowdError(error).stack },
          "an index could not be compared with the catalogue",
        );
      }
    },
  };
}

async function newBase(
  deps: BasesDeps,
  input: Params<"base.create">,
  modelOf: (id: string) => EmbeddingModel,
): Promise<Base> {
  const { name, embeddingModelId: wanted, ...settings } = input;
  const embeddingModelId = wanted === undefined ? deps.defaults.embeddingModelId : wanted;
  const dimensions = embeddingModelId === null ? null : await modelOf(embeddingModelId).dimensions();
  const merged = {
    chunkSize: deps.defaults.chunkSize,
    chunkOverlap: Math.min(
      deps.defaults.chunkOverlap,
      Math.floor((settings.chunkSize ?? deps.defaults.chunkSize) / 5),
    ),
    chunkStrategy: "structured" as const,
    chunkSeparator: null,
    chunkHard: false,
    threshold: null,
    documentCount: null,
    rerankModelId: null,
    fileProcessorId: null,
    groupId: null,
    substring: false,
    ...defined(settings),
  };
  if (merged.chunkStrategy === "delimiter" && merged.chunkSeparator === null)
    merged.chunkSeparator = "\\n\\n";
  checkChunking(merged);
  const base = deps.catalog.bases.create({ id: randomUUID(), name, embeddingModelId, dimensions, ...merged });
  try {
    await deps.registry.create(base.id, { substring: base.substring });
  } catch (error) {
    deps.catalog.bases.remove(base.id);
    throw error;
  }
  return base;
}

function checkChunking(
  base: Pick<Base, "chunkSize" | "chunkOverlap" | "chunkStrategy" | "chunkSeparator">,
): void {
  if (base.chunkOverlap >= base.chunkSize) {
    throw invalidField("chunkOverlap", `must be under chunkSize (${base.chunkSize})`);
  }
  if (base.chunkStrategy === "delimiter" && !base.chunkSeparator) {
    throw invalidField("chunkSeparator", "the delimiter strategy needs one, such as \\n\\n");
  }
}

/** The fields that were given: an absent one changes nothing. */
function defined<T extends object>(patch: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
