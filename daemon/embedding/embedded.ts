import { EMBEDDED_MODEL_ID } from "../../config/embedding-schema.ts";
import { STATIC_DIMENSIONS } from "../../workers/embed/static-model.ts";
import type { EmbedOutput, WorkerTasks } from "../../workers/contract.ts";
import type { ModelFiles } from "../../workers/embed/word-meanings.ts";
import type { Host, HostFailure } from "../runtime/host.ts";
import { planBatches } from "./batches.ts";
import { rowsOf, runPatiently, unanswered } from "./host-embedding.ts";
import { EmbeddingFailure, type EmbeddingModel } from "./provider.ts";

export interface EmbeddedModelDeps {
  readonly files: ModelFiles;
  readonly workerHost: Pick<Host<WorkerTasks>, "run">;
}

/** Ends in the first digits of the sha256 of the model's numbers. */
export const EMBEDDED_FINGERPRINT = "knowd/static-en-128@13e30b4d";
/** How convex fusion weighs the vectors of a weak model: measured to be best on exact and paraphrased questions alike. */
export const CONVEX_ALPHA = 0.3;

/** A batch takes a worker thread some 10 ms, so that other work gets its turn between two. */
const BATCH = { texts: 128, characters: 256 * 1024 };
const DEADLINE_MS = 60_000;
/** The model that comes with knowd; its vectors are made on the worker host's threads. */
export function createEmbeddedModel(deps: EmbeddedModelDeps): EmbeddingModel {
  return {
    id: EMBEDDED_MODEL_ID,
    fingerprint: () => Promise.resolve(EMBEDDED_FINGERPRINT),
    lastFingerprint: () => EMBEDDED_FINGERPRINT,
    resumes: "always",
    fusion: { kind: "convex", alpha: CONVEX_ALPHA },
    files: deps.files,
    dimensions: () => Promise.resolve(STATIC_DIMENSIONS),
    hasVectors: () => true,
    async embed(texts, _purpose, signal) {
      const batches = planBatches(
        texts.map((text) => ({ text })),
        BATCH,
      );
      const vectors: Float32Array[] = [];
      for (const batch of batches) {
        const { modelPath, vocabularyPath } = deps.files;
        const input = { modelPath, vocabularyPath, texts: batch.map(({ text }) => text) };
        const run = (): Promise<EmbedOutput> =>
          deps.workerHost.run("texts.embed", input, { deadlineMs: DEADLINE_MS, signal });
        vectors.push(...rowsOf(await runPatiently(run, failureOf, signal)));
      }
      return vectors;
    },
  };
}

function failureOf(error: HostFailure): EmbeddingFailure {
  if (error.kind !== "task") return unanswered(error);
  const message = `the embedded model can't be used: ${error.message}; install knowd again`;
  return new EmbeddingFailure("permanent", message, null, error);
}
