import { setTimeout as delay } from "node:timers/promises";
import { EMBEDDED_MODEL_ID } from "../../config/embedding-schema.ts";
import { STATIC_DIMENSIONS } from "../../workers/embed/static-model.ts";
import type { EmbedOutput, WorkerTasks } from "../../workers/contract.ts";
import { HostFailure, type Host } from "../runtime/host.ts";
import { planBatches } from "./batches.ts";
import { EmbeddingFailure, type EmbeddingModel } from "./provider.ts";

export interface EmbeddedModelDeps {
  readonly files: { readonly modelPath: string; readonly vocabularyPath: string };
  readonly workerHost: Pick<Host<WorkerTasks>, "run">;
}

/** Ends in the first digits of the sha256 of the model's numbers. */
export const EMBEDDED_FINGERPRINT = "knowd/static-en-128@13e30b4d";
/** How convex fusion weighs the vectors of a weak model: measured to be best on exact and paraphrased questions alike. */
export const CONVEX_ALPHA = 0.3;

/** A batch takes a worker thread some 10 ms, so that other work gets its turn between two. */
const BATCH = { texts: 128, characters: 256 * 1024 };
const DEADLINE_MS = 60_000;
/** The worker host may fall with somebody else's bad file. */
const ATTEMPTS = 3;
const RETRY_BASE_MS = 100;

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
        const input = { ...deps.files, texts: batch.map(({ text }) => text) };
        vectors.push(...rowsOf(await runPatiently(deps, input, signal)));
      }
      return vectors;
    },
  };
}

async function runPatiently(
  { workerHost }: EmbeddedModelDeps,
  input: WorkerTasks["texts.embed"]["input"],
  signal: AbortSignal | undefined,
): Promise<EmbedOutput> {
  for (let tried = 1; ; tried++) {
    try {
      return await workerHost.run("texts.embed", input, { deadlineMs: DEADLINE_MS, signal });
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof HostFailure)) throw error;
      const passes = error.kind === "crashed" || error.kind === "full" || error.kind === "deadline";
      if (!passes || tried >= ATTEMPTS) throw failureOf(error);
      await delay(RETRY_BASE_MS * 2 ** tried, undefined, { signal });
    }
  }
}

function failureOf(error: HostFailure): EmbeddingFailure {
  if (error.kind === "task") {
    const message = `the embedded model can't be used: ${error.message}; install knowd again`;
    return new EmbeddingFailure("permanent", message, null, error);
  }
  return new EmbeddingFailure(
    "transient",
    `the worker process gave no vectors: ${error.message}`,
    null,
    error,
  );
}

function rowsOf({ dimensions, vectors }: EmbedOutput): Float32Array[] {
  return Array.from({ length: vectors.length / dimensions }, (_, row) =>
    vectors.slice(row * dimensions, (row + 1) * dimensions),
  );
}
