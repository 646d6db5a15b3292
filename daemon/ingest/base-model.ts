import type { Base } from "../../rpc/contract/bases.ts";
import { modelChange } from "../embedding/model-identity.ts";
import { EmbeddingFailure, type EmbeddingModel } from "../embedding/provider.ts";
import { PRIORITY } from "../queue/queue.ts";
import { KnowdError } from "../runtime/errors.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import type { Pipeline } from "./pipeline.ts";
import { queueReindex } from "./queue-index.ts";

export interface BaseModelDeps extends IngestDeps {
  readonly pipeline: Pick<Pipeline, "pauseBase">;
  /** The search host must let go of what it keeps of an index's vectors. */
  readonly closeSearch: (baseId: string) => Promise<void>;
}

interface Identity {
  readonly fingerprint: string;
  readonly dimensions: number;
}

/** What a base has to know of its model. Throws MODEL_UNAVAILABLE when the model can't be asked. */
export async function describeModel(
  model: EmbeddingModel,
  options: { anew?: boolean } = {},
): Promise<Identity> {
  try {
    const fingerprint = await model.fingerprint();
    return { fingerprint, dimensions: await model.dimensions(undefined, options) };
  } catch (error) {
    if (!(error instanceof EmbeddingFailure)) throw error;
    const data = { embeddingModelId: model.id, reason: error.message };
    throw new KnowdError("MODEL_UNAVAILABLE", data, undefined, error);
  }
}

/**
 * Nothing of the base is worked on meanwhile: what is in flight would end without vectors. The model comes last, so that a
 * crash before it costs another reading, and one after it leaves nothing unqueued. Throws BASE_NOT_EMPTY for a base that has a
 * model by then.
 */
async function setFirstModel(deps: BaseModelDeps, baseId: string, model: EmbeddingModel): Promise<Base> {
  const { catalog, pipeline } = deps;
  const { fingerprint, dimensions } = await describeModel(model);
  const release = await pipeline.pauseBase(baseId);
  try {
    await queueReindex(deps, catalog.items.leavesOfBase(baseId), PRIORITY.bulk);
    refuseModel(catalog.bases.require(baseId));
    return catalog.transaction(() => {
      catalog.baseModels.remember(baseId, fingerprint);
      return catalog.bases.update(baseId, { embeddingModelId: model.id, dimensions });
    });
  } finally {
    release();
  }
}

function refuseModel({ embeddingModelId }: Base): void {
  if (embeddingModelId !== null) throw new KnowdError("BASE_NOT_EMPTY", { embeddingModelId });
}

/** Throws BASE_NOT_EMPTY for a base that has a model, unless that is this one and has become another one. */
export async function giveModel(deps: BaseModelDeps, baseId: string, model: EmbeddingModel): Promise<Base> {
  const base = deps.catalog.bases.require(baseId);
  const isAdopted = base.embeddingModelId === model.id && (await adoptModel(deps, baseId)) !== null;
  if (isAdopted) return deps.catalog.bases.require(baseId);
  refuseModel(base);
  return await setFirstModel(deps, baseId, model);
}

/** The base's model, when it is another one than made its vectors: by its fingerprint, or by their length. */
async function otherModel({ catalog, models }: IngestDeps, base: Base): Promise<EmbeddingModel | null> {
  const model = base.embeddingModelId === null ? undefined : models.get(base.embeddingModelId);
  const stored = catalog.baseModels.fingerprint(base.id);
  if (!model || stored === null) return null;
  try {
    if ((await model.fingerprint()) !== stored) return model;
    return (await model.dimensions(undefined, { anew: true })) === base.dimensions ? null : model;
  } catch (error) {
    // A model that can't be asked right now is said to be so by the work that needs it.
    if (error instanceof EmbeddingFailure) return null;
    throw error;
  }
}

/**
 * When the model behind the base's id is another one: takes the vectors of the one before away, and queues all to be embedded
 * by the one that is there now; until then words answer alone. The model comes last, so that a crash before it leaves a base
 * that still says what is wrong with it. Answers how many items are queued; null when the model is the same.
 */
export async function adoptModel(deps: BaseModelDeps, baseId: string): Promise<number | null> {
  const { catalog, registry, pipeline } = deps;
  const base = catalog.bases.require(baseId);
  const model = await otherModel(deps, base);
  if (model === null) return null;
  const identity = await describeModel(model);
  const release = await pipeline.pauseBase(baseId);
  try {
    const queued = await queueReindex(deps, catalog.items.leavesOfBase(baseId), PRIORITY.bulk);
    await registry.dropVectors(baseId);
    await deps.closeSearch(baseId);
    catalog.baseModels.adopt(baseId, identity);
    deps.log.info(
      { base: base.name, model: identity.fingerprint },
      "the base is embedded anew by another model",
    );
    return queued;
  } finally {
    release();
  }
}

/** Before a base's texts are embedded. Throws EmbeddingFailure when the vectors would be of another model than those it has. */
export async function checkModel(
  { catalog }: IngestDeps,
  base: Base,
  model: EmbeddingModel,
  signal: AbortSignal,
): Promise<void> {
  const current = await model.fingerprint(signal);
  const stored = catalog.baseModels.fingerprint(base.id);
  if (stored === null) return catalog.baseModels.remember(base.id, current);
  const change = modelChange({ baseName: base.name, modelId: model.id, stored, current });
  if (change !== null) {
    catalog.baseModels.setChanged(base.id, true);
    throw new EmbeddingFailure("permanent", change);
  }
}

/** Vectors of another length are of another model, whatever it is called. Throws EmbeddingFailure. */
export function checkDimensions({ catalog }: IngestDeps, base: Base, vectors: readonly Float32Array[]): void {
  const other = vectors.find(({ length }) => length !== base.dimensions);
  if (!other) return;
  catalog.baseModels.setChanged(base.id, true);
  throw new EmbeddingFailure("permanent", otherLength(base, `${other.length}`));
}

function otherLength({ name, embeddingModelId, dimensions }: Base, given: string): string {
  return (
    `${embeddingModelId} gives vectors of ${given} numbers, those of the base "${name}" have ${dimensions}: ` +
    `it is another model now; embed the base anew: knowd reindex --base "${name}"`
  );
}

/** For status: each base whose model is another one, and what to do. */
export function modelWarnings({ catalog, models }: IngestDeps, bases: readonly Base[]): string[] {
  return bases.flatMap((base) => {
    const model = base.embeddingModelId === null ? undefined : models.get(base.embeddingModelId);
    if (!model) return [];
    const [stored, current] = [catalog.baseModels.fingerprint(base.id), model.lastFingerprint()];
    const change = modelChange({ baseName: base.name, modelId: model.id, stored, current });
    if (change !== null) return [change];
    return catalog.baseModels.changed(base.id) ? [otherLength(base, "another number of")] : [];
  });
}
