import type { Base } from "../../rpc/contract/bases.ts";
import { modelChange } from "../embedding/model-identity.ts";
import type { EmbeddingModel } from "../embedding/provider.ts";
import { PRIORITY } from "../queue/queue.ts";
import { toKnowdError } from "../runtime/errors.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import { queueLook } from "./queue-index.ts";

/**
 * K3.1: a base whose model is not configured any more is failed; one whose model is back is well again, and catches up. So does
 * one whose model was another one for a while.
 */
export function checkModels(deps: IngestDeps): void {
  const { catalog, models, log } = deps;
  for (const base of catalog.bases.all()) {
    const known = base.embeddingModelId === null || models.get(base.embeddingModelId) !== undefined;
    if (!known && base.status === "completed") {
      catalog.bases.update(base.id, { status: "failed", error: "missing_embedding_model" });
      log.warn(
        { base: base.name, model: base.embeddingModelId },
        "the base's embedding model is not configured",
      );
    }
    const model = base.embeddingModelId === null ? undefined : models.get(base.embeddingModelId);
    if (model) void lookAtModel(deps, base, model);
    if (known && base.error === "missing_embedding_model") {
      catalog.bases.update(base.id, { status: "completed", error: null });
      void catchUp(deps, base);
    }
  }
}

async function lookAtModel(deps: IngestDeps, base: Base, model: EmbeddingModel): Promise<void> {
  const { catalog, log } = deps;
  try {
    const current = await model.fingerprint();
    const stored = catalog.baseModels.fingerprint(base.id);
    const change = modelChange({ baseName: base.name, modelId: model.id, stored, current });
    const wasChanged = catalog.baseModels.changed(base.id);
    if (stored === null) catalog.baseModels.remember(base.id, current);
    else if (wasChanged !== (change !== null)) catalog.baseModels.setChanged(base.id, change !== null);
    if (change !== null) log.warn({ base: base.name }, change);
    else if (wasChanged) await catchUp(deps, base);
  } catch (error) {
    log.warn({ base: base.name, error: toKnowdError(error).data }, "the base's model could not be looked at");
  }
}

/** What changed meanwhile could not be embedded. What a crash cut off waits for a word where embedding costs money (K4.6). */
async function catchUp(deps: IngestDeps, base: Base): Promise<void> {
  const { catalog, models, log } = deps;
  const resumes = base.embeddingModelId === null ? "always" : models.get(base.embeddingModelId)?.resumes;
  if (!catalog.closedCleanly && resumes === "ask") return;
  try {
    await queueLook(deps, catalog.items.leavesOfBase(base.id), PRIORITY.bulk);
  } catch (error) {
    const reason = toKnowdError(error).message;
    log.warn({ base: base.name, error: reason }, "files could not be queued; reindex the base");
  }
}
