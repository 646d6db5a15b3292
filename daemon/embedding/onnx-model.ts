import type { OnnxModelSettings } from "../../config/embedding-schema.ts";
import type { DeepReadonly } from "../../config/load.ts";
import { locations } from "../../config/locations.ts";
import type { EmbedOutput } from "../../workers/contract.ts";
import type { OnnxDescription, OnnxHostInit, OnnxTasks } from "../../workers/embed/onnx/contract.ts";
import { createLimiter } from "../endpoint/limiter.ts";
import type { Host, HostFailure } from "../runtime/host.ts";
import type { Log } from "../runtime/log.ts";
import { openHost } from "../runtime/open-host.ts";
import { unlessAborted } from "../runtime/unless-aborted.ts";
import { planBatches } from "./batches.ts";
import type { VectorCache } from "./cache.ts";
import { createCachedModel, prefixMark, type ModelDescription } from "./cached-model.ts";
import { rowsOf, runPatiently, unanswered } from "./host-embedding.ts";
import { EmbeddingFailure, type EmbeddingModel } from "./provider.ts";

export interface OnnxModelDeps {
  readonly settings: DeepReadonly<OnnxModelSettings>;
  /** Where the packages are installed that run it. */
  readonly packages: string;
  readonly cache: VectorCache;
  readonly log: Log;
  /** Aborts when the daemon stops. */
  readonly closing: AbortSignal;
}

/** The tokenizer's vocabulary is the largest thing in the heap; the weights are outside of it. */
const HEAP_MB = 1024;
/** Then its memory goes back; loading a usual model takes about as long as a breath. */
const IDLE_MS = 10 * 60 * 1000;
/** Reading and hashing a folder; some gigabytes from a slow disk. */
const DESCRIBE_DEADLINE_MS = 120_000;
/** A run of the model can't be broken off: what is cancelled meanwhile, a query above all, must not end it with all others. */
const CANCEL_GRACE_MS = 30_000;
/** Documents come one batch at a time; these are queries, which overtake them in the host. */
const MOST_IN_FLIGHT = 32;

/**
 * A sentence model in ONNX form in a local folder. It runs in a process of its own, so that its memory goes back and its
 * crashes blame no file, one batch of documents at a time; a query waits for one small run at most.
 */
export function openOnnxModel(deps: OnnxModelDeps): { model: EmbeddingModel; host: Host<OnnxTasks> } {
  const { settings } = deps;
  const host = openModelHost(deps);
  const documents = createLimiter({ maxConcurrent: 1, now: () => performance.now() });
  let known: { readonly hash: string; readonly description: ModelDescription } | null = null;
  let asking: Promise<OnnxDescription> | null = null;

  /** Asked of the folder once; again when an embedding finds it changed. */
  async function describe(signal?: AbortSignal): Promise<ModelDescription> {
    if (known) return known.description;
    asking ??= runPatiently(
      () => host.run("onnx.describe", {}, { deadlineMs: DESCRIBE_DEADLINE_MS, signal: deps.closing }),
      failureOf,
      deps.closing,
    ).finally(() => (asking = null));
    // The folder goes on being read for those who wait longer.
    const found = await unlessAborted(asking, signal);
    known = { hash: found.hash, description: descriptionOf(settings, found) };
    return known.description;
  }

  function failureOf(error: HostFailure): EmbeddingFailure {
    if (error.kind !== "task") return unanswered(error);
    const isChanged = error.taskErrorName === "MODEL_CHANGED";
    if (isChanged) known = null;
    return new EmbeddingFailure(
      isChanged ? "transient" : "permanent",
      `${settings.id}: ${error.message}`,
      null,
      error,
    );
  }

  const model = createCachedModel({
    settings,
    cache: deps.cache,
    describe,
    described: () => known?.description ?? null,
    async send(pieces, purpose, keep, signal) {
      const urgent = purpose === "query";
      const stop = signal ? AbortSignal.any([signal, deps.closing]) : deps.closing;
      const bounds = { texts: settings.batchSize, characters: settings.batchCharacters };
      for (const batch of planBatches(pieces, bounds)) {
        const input = { hash: known?.hash ?? "", texts: batch.map(({ text }) => text), urgent };
        const run = (): Promise<EmbedOutput> =>
          host.run("onnx.embed", input, { deadlineMs: settings.timeoutMs, signal: stop });
        const task = (): Promise<EmbedOutput> => runPatiently(run, failureOf, stop);
        const output = urgent ? await task() : await documents.run(task, { signal: stop, urgent });
        await keep(
          batch,
          rowsOf(output).map((vector) => shortened(vector, settings.dimensions)),
        );
      }
    },
  });
  return { model, host };
}

function openModelHost({ settings, packages, log }: OnnxModelDeps): Host<OnnxTasks> {
  const init: OnnxHostInit = {
    folder: settings.folder,
    modelFile: settings.modelFile ?? null,
    pooling: settings.pooling ?? null,
    maxTokens: settings.maxTokens ?? null,
    threads: settings.threads,
    packages,
  };
  return openHost<OnnxTasks>({
    name: `model host of ${settings.id}`,
    entryUrl: locations.onnxHost,
    init,
    heapLimitMb: HEAP_MB,
    // How much a model takes is its owner's choice.
    memoryLimitBytes: Number.MAX_SAFE_INTEGER,
    idleExitMs: IDLE_MS,
    cancelGraceMs: CANCEL_GRACE_MS,
    maxInFlight: MOST_IN_FLIGHT,
    maxQueued: MOST_IN_FLIGHT,
    log,
  });
}

/** Prefixes and dimensions as they are set, else as the folder has them. */
function descriptionOf(settings: OnnxModelDeps["settings"], found: OnnxDescription): ModelDescription {
  const documentPrefix = settings.documentPrefix ?? found.documentPrefix;
  const asked = settings.dimensions === undefined ? "" : `@${settings.dimensions}`;
  return {
    fingerprint: `onnx/${found.hash.slice(0, 16)}${asked}${prefixMark(documentPrefix)}`,
    queryPrefix: settings.queryPrefix ?? found.queryPrefix,
    documentPrefix,
    dimensions: settings.dimensions ?? null,
  };
}

/** Some models put what matters most in front (Matryoshka): the first numbers, of length one again. */
function shortened(vector: Float32Array, dimensions: number | undefined): Float32Array {
  if (dimensions === undefined || vector.length <= dimensions) return vector;
  const front = vector.slice(0, dimensions);
  const length = Math.sqrt(front.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? front : front.map((value) => value / length);
}
