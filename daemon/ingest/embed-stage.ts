import type { Base } from "../../rpc/contract/bases.ts";
import type { PreparedDocument } from "../../workers/contract.ts";
import { EmbeddingFailure } from "../embedding/provider.ts";
import { checkDimensions, checkModel } from "./base-model.ts";
import type { IngestDeps } from "./ingest-deps.ts";

/** Texts of one call to the model: enough to fill a batch, few enough that a cancelled one loses little. */
const TEXTS_PER_CALL = 256;

/** A text whose units are slices of it. */
type EmbeddedText = Pick<PreparedDocument, "text" | "units">;

/**
 * The vectors that the documents' units still lack, by text hash (K8.5: only missing hashes are embedded).
 * Null for a base without a model. Throws EmbeddingFailure.
 */
export async function embedMissing(
  deps: IngestDeps,
  base: Base,
  documents: readonly EmbeddedText[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Float32Array> | null> {
  if (base.embeddingModelId === null) return null;
  const model = deps.models.get(base.embeddingModelId);
  if (!model)
    throw new EmbeddingFailure("permanent", `the embedding model ${base.embeddingModelId} is not configured`);
  await checkModel(deps, base, model, signal);
  const texts = textsByHash(documents);
  const missing = await deps.registry.missingVectors(base.id, [...texts.keys()]);
  const vectors = new Map<string, Float32Array>();
  for (let at = 0; at < missing.length; at += TEXTS_PER_CALL) {
    const hashes = missing.slice(at, at + TEXTS_PER_CALL);
    const found = await model.embed(
      hashes.map((hash) => texts.get(hash) ?? ""),
      "document",
      signal,
    );
    checkDimensions(deps, base, found);
    hashes.forEach((hash, index) => {
      const vector = found[index];
      if (vector) vectors.set(hash, vector);
    });
  }
  return vectors;
}

function textsByHash(documents: readonly EmbeddedText[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const document of documents) {
    for (const unit of document.units) {
      if (!texts.has(unit.textHash))
        texts.set(unit.textHash, document.text.slice(unit.charStart, unit.charEnd));
    }
  }
  return texts;
}
