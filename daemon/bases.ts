import { randomUUID } from "node:crypto";
import type { Base, BaseView } from "../rpc/contract/bases.ts";
import type { Params } from "../rpc/contract/index.ts";
import type { Source } from "../rpc/contract/sources.ts";
import type { EmbeddingModel } from "./embedding/provider.ts";
import { adoptModel, describeModel, giveModel } from "./ingest/base-model.ts";
import { checkModels } from "./ingest/check-models.ts";
import type { IngestDeps } from "./ingest/ingest-deps.ts";
import type { Pipeline } from "./ingest/pipeline.ts";
import { queueForProcessor } from "./ingest/processing-stage.ts";
import { reconcileBase } from "./ingest/reconcile.ts";
import type { SourceSync } from "./ingest/source-sync.ts";
import type { Rerankers } from "./rerank/reranker.ts";
import { createSlicer } from "./runtime/yielding.ts";
import { invalidField, KnowdError, toKnowdError } from "./runtime/errors.ts";

export interface BasesDeps extends IngestDeps {
  readonly pipeline: Pipeline;
  readonly sync: SourceSync;
  readonly rerankers: Pick<Rerankers, "ids">;
  /** The search host must let go of an index before its folder is removed. */
  readonly closeSearch: (baseId: string) => Promise<void>;
  readonly defaults: {
    readonly chunkSize: number;
    readonly chunkOverlap: number;
    readonly embeddingModelId: string | null;
    readonly rerankModelId: string | null;
    readonly fileProcessorId: string | null;
  };
}

/** The use cases that touch catalogue, index and sources of a base together. */
export interface Bases {
  create(input: Params<"base.create">): Promise<BaseView>;
  update(input: Params<"base.update">): Promise<BaseView>;
  enableEmbedding(baseId: string, embeddingModelId: string): Promise<BaseView>;
  /** For a base whose model has become another one: all is embedded anew. Answers how many are queued, null for other bases. */
  adoptModel(baseId: string): Promise<number | null>;
  remove(baseId: string): Promise<void>;
  view(base: Base): BaseView;
  /** At start: a base whose model is not configured any more is failed, one whose model is back catches up (K3.1). */
  checkModels(): void;
  /**
   * Opens a base's index, so that one that is lost or damaged is rebuilt before anybody asks for it (K8.2). One that has
   * fewer documents than it should (a stop cut a rebuild off) is reconciled.
   */
  look(baseId: string): Promise<void>;
  /** Compares a base's index with the catalogue and queues what the index lacks. */
  reconcile(baseId: string, reason: string): Promise<void>;
  /** The same for an index that was made again, which the search host may still have open. */
  rebuild(baseId: string, reason: string): Promise<void>;
}

const ROWS_PER_TRANSACTION = 64;
const SLICE_MS = 8;

export function openBases(deps: BasesDeps): Bases {
  const { catalog, registry } = deps;
  const removing = new Set<string>();
  const rebuilds = trackRebuilds(deps);
  const view = (base: Base): BaseView => viewOf(deps, base, removing.has(base.id));
  /** Nobody waits for it, so it never rejects. */
  const compare = async (baseId: string, reason: string, before = async () => {}): Promise<void> => {
    try {
      await rebuilds.during(baseId, async () => {
        await before();
        await reconcile(deps, baseId, reason);
      });
    } catch (error) {
      const stack = toKnowdError(error).stack;
      deps.log.error({ baseId, reason, error: stack }, "an index could not be compared with the catalogue");
    }
  };

  return {
    view,
    create: async (input) => view(await newBase(deps, input)),
    async update({ baseId, ...patch }) {
      const base = catalog.bases.require(baseId);
      checkChunking({ ...base, ...defined(patch) });
      checkHelpers(deps, defined(patch));
      const updated = catalog.bases.update(baseId, defined(patch));
      if (updated.fileProcessorId !== base.fileProcessorId) await queueForProcessor(deps, updated);
      if (updated.substring !== base.substring) await registry.setSubstring(baseId, updated.substring);
      return view(updated);
    },
    async enableEmbedding(baseId, embeddingModelId) {
      catalog.bases.require(baseId);
      return view(await giveModel(deps, baseId, modelOf(deps, embeddingModelId)));
    },
    async remove(baseId) {
      catalog.bases.require(baseId);
      removing.add(baseId);
      try {
        await removeBase(deps, baseId);
      } finally {
        removing.delete(baseId);
      }
    },
    adoptModel: (baseId) => adoptModel(deps, baseId),
    checkModels: () => checkModels(deps),
    async look(baseId) {
      try {
        await registry.open(baseId);
        const { materials } = await registry.counts(baseId);
        // One that was made again just now is being compared already.
        const isWhole = materials >= catalog.bases.counts(baseId).completed;
        if (isWhole || registry.state(baseId) === "rebuilding") return;
      } catch (error) {
        deps.log.warn({ baseId, error: toKnowdError(error).message }, "an index could not be opened");
        return;
      }
      await compare(baseId, "the index lacks documents");
    },
    reconcile: (baseId, reason) => compare(baseId, reason),
    rebuild: (baseId, reason) => compare(baseId, reason, () => deps.closeSearch(baseId)),
  };
}

/** Throws INVALID_FIELD for a processor or a reranker that is not configured. */
function checkHelpers({ processors, rerankers }: BasesDeps, given: Partial<Base>): void {
  refuseUnknown("fileProcessorId", "processors", given.fileProcessorId, processors.ids());
  refuseUnknown("rerankModelId", "rerankers", given.rerankModelId, rerankers.ids());
}

function refuseUnknown(field: string, noun: string, id: string | null | undefined, known: string[]): void {
  if (id === null || id === undefined || known.includes(id)) return;
  throw invalidField(field, `one of the configured ${noun} (${known.join(", ") || "there is none"})`);
}

/**
 * K8.2: a base says `rebuilding` until all that its index lost was read again. `during` holds it there while it is found
 * out what that is; from then on each change in the base may be the last one.
 */
function trackRebuilds({ catalog, registry }: BasesDeps) {
  const comparing = new Set<string>();
  const rebuilding = new Set<string>();
  const settle = (baseId: string): void => {
    if (!rebuilding.has(baseId) || comparing.has(baseId) || isIndexing({ catalog }, baseId)) return;
    rebuilding.delete(baseId);
    registry.setState(baseId, "ready");
  };
  catalog.changes.subscribe((changes) => {
    if (rebuilding.size === 0) return;
    for (const baseId of new Set(changes.map((change) => change.baseId))) if (baseId !== null) settle(baseId);
  });
  return {
    async during(baseId: string, compare: () => Promise<void>): Promise<void> {
      comparing.add(baseId);
      try {
        await compare();
      } finally {
        comparing.delete(baseId);
        if (registry.state(baseId) === "rebuilding") rebuilding.add(baseId);
        settle(baseId);
      }
    },
  };
}

function isIndexing({ catalog }: Pick<BasesDeps, "catalog">, baseId: string): boolean {
  return (["running", "queued"] as const).some((state) =>
    catalog.jobs.list({ baseIds: [baseId], state, limit: 1 }).items.some((job) => job.kind === "index"),
  );
}

function viewOf({ catalog, registry }: BasesDeps, base: Base, removing: boolean): BaseView {
  const counts = catalog.bases.counts(base.id);
  const rebuilding = registry.state(base.id) === "rebuilding";
  const working = counts.active > 0 ? "indexing" : "idle";
  return { ...base, counts, activity: removing ? "deleting" : rebuilding ? "rebuilding" : working };
}

/** K3.5: jobs, lock, store, folder, row, in this order; what can't be removed keeps the row, and may be tried again. */
async function removeBase(deps: BasesDeps, baseId: string): Promise<void> {
  const { catalog, registry, pipeline, sync } = deps;
  const sources = sourcesOf(deps, baseId);
  for (const source of sources) {
    await sync.unfollow(source.id);
    // A crash on the way must not let the folder fill the base again.
    catalog.sources.setState(source.id, "removing", null);
  }
  const release = await pipeline.pauseBase(baseId);
  try {
    catalog.jobs.cancelOfBase(baseId);
    await deps.closeSearch(baseId);
    await registry.destroy(baseId);
    await purgeRows(deps, baseId);
    const added = sourcesOf(deps, baseId).filter(({ id }) => !sources.some((known) => known.id === id));
    catalog.bases.remove(baseId);
    for (const source of added) await sync.unfollow(source.id);
  } finally {
    release();
  }
}

function sourcesOf({ catalog }: BasesDeps, baseId: string): Source[] {
  return catalog.sources.all().filter((source) => source.baseId === baseId);
}

/** The rows of many items, in slices: what the base's own removal takes along must be little. */
async function purgeRows({ catalog }: BasesDeps, baseId: string): Promise<void> {
  const slicer = createSlicer(SLICE_MS);
  const ids = catalog.items.leavesOfBase(baseId);
  for (let at = 0; at < ids.length; at += ROWS_PER_TRANSACTION) {
    const slice = ids.slice(at, at + ROWS_PER_TRANSACTION);
    catalog.transaction(() => {
      catalog.items.beginDelete(slice);
      catalog.ledger.removeItems(slice);
      catalog.items.remove(slice);
    });
    await slicer.yield();
  }
}

async function reconcile(deps: BasesDeps, baseId: string, reason: string): Promise<void> {
  const { lost, parked, orphans } = await reconcileBase(deps, baseId);
  if (lost > 0) deps.registry.setState(baseId, "rebuilding");
  if (lost + parked + orphans > 0) {
    deps.log.warn(
      { baseId, lost, parked, orphans, reason },
      "the index was brought in line with the catalogue",
    );
  }
}

function modelOf({ models }: BasesDeps, id: string): EmbeddingModel {
  const model = models.get(id);
  if (!model) throw new KnowdError("MODEL_NOT_FOUND", { embeddingModelId: id, known: models.ids() });
  return model;
}

async function newBase(deps: BasesDeps, input: Params<"base.create">): Promise<Base> {
  const { name, embeddingModelId: wanted, ...settings } = input;
  const embeddingModelId = wanted === undefined ? deps.defaults.embeddingModelId : wanted;
  const model = embeddingModelId === null ? null : await describeModel(modelOf(deps, embeddingModelId));
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
    rerankModelId: deps.defaults.rerankModelId,
    fileProcessorId: deps.defaults.fileProcessorId,
    groupId: null,
    substring: false,
    ...defined(settings),
  };
  checkChunking(merged);
  checkHelpers(deps, merged);
  const fields = { name, embeddingModelId, dimensions: model?.dimensions ?? null, ...merged };
  const base = deps.catalog.transaction(() => {
    const made = deps.catalog.bases.create({ id: randomUUID(), ...fields });
    if (model) deps.catalog.baseModels.remember(made.id, model.fingerprint);
    return made;
  });
  try {
    await deps.registry.create(base.id, { substring: base.substring });
  } catch (error) {
    deps.catalog.bases.remove(base.id);
    throw error;
  }
  return base;
}

function checkChunking({ chunkOverlap, chunkSize }: Pick<Base, "chunkOverlap" | "chunkSize">): void {
  if (chunkOverlap >= chunkSize) throw invalidField("chunkOverlap", `must be under chunkSize (${chunkSize})`);
}

/** The fields that were given: an absent one changes nothing. */
function defined<T extends object>(patch: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
