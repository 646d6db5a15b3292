import type { DeepReadonly } from "../../config/load.ts";
import type { EmbeddingSettings, HttpModelSettings } from "../../config/embedding-schema.ts";
import type { OnnxTasks } from "../../workers/embed/onnx/contract.ts";
import type { Host } from "../runtime/host.ts";
import type { Log } from "../runtime/log.ts";
import type { VectorCache } from "./cache.ts";
import { createEmbeddedModel, type EmbeddedModelDeps } from "./embedded.ts";
import { createLimiter } from "../endpoint/limiter.ts";
import { createHttpModel } from "./http-model.ts";
import { openOnnxModel } from "./onnx-model.ts";
import { EmbeddingFailure, type EmbeddingModel, type EmbeddingModels } from "./provider.ts";

export interface EmbeddingModelsDeps extends EmbeddedModelDeps {
  readonly config: DeepReadonly<EmbeddingSettings>;
  /** Reads the key of a model's endpoint; null where it needs none. */
  readonly apiKey: (model: DeepReadonly<HttpModelSettings>) => Promise<string | null>;
  /** Stays open until the models are closed; the caller closes it. */
  readonly cache: VectorCache;
  readonly log: Log;
  readonly now: () => number;
  readonly fetch?: typeof fetch;
  /** First wait before an endpoint is asked again. */
  readonly retryBaseMs?: number;
}

const RETRY_BASE_MS = 500;
const SWEEP_MS = 6 * 60 * 60 * 1000;

/** The embedded model and those of the configuration. */
export function openEmbeddingModels(deps: EmbeddingModelsDeps): EmbeddingModels {
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  const tracked = <T>(promise: Promise<T>): Promise<T> => {
    running.add(promise);
    const forget = (): unknown => running.delete(promise);
    promise.then(forget, forget);
    return promise;
  };

  const hosts: Pick<Host<OnnxTasks>, "stop">[] = [];
  const configured = deps.config.models.map((settings): EmbeddingModel => {
    if (settings.provider !== "onnx") return createRemote(deps, settings, closing.signal);
    const { model, host } = openOnnxModel({
      ...deps,
      settings,
      packages: deps.config.onnxPackages ?? "",
      closing: closing.signal,
    });
    hosts.push(host);
    return model;
  });
  const models = new Map(
    [createEmbeddedModel(deps), ...configured].map((model) => [model.id, track(model, tracked)]),
  );
  const sweep = (): void => {
    const done = deps.cache.sweep(closing.signal).then((deleted) => {
      if (deleted > 0) deps.log.debug({ deleted }, "unused vectors left the cache");
    });
    void tracked(done);
  };
  const timer = setInterval(sweep, SWEEP_MS).unref();
  sweep();

  return {
    get: (id) => models.get(id),
    ids: () => [...models.keys()],
    async close() {
      clearInterval(timer);
      closing.abort(new EmbeddingFailure("transient", "the daemon is stopping"));
      await Promise.allSettled(hosts.map((host) => host.stop()));
      await Promise.allSettled(running);
    },
  };
}

function createRemote(
  deps: EmbeddingModelsDeps,
  settings: DeepReadonly<HttpModelSettings>,
  closing: AbortSignal,
): EmbeddingModel {
  return createHttpModel({
    settings,
    apiKey: () => deps.apiKey(settings),
    fetch: deps.fetch ?? fetch,
    now: deps.now,
    cache: deps.cache,
    limiter: createLimiter({ maxConcurrent: settings.maxConcurrent, now: () => performance.now() }),
    retryBaseMs: deps.retryBaseMs ?? RETRY_BASE_MS,
    closing,
  });
}

/** Lets `close` wait for what runs, so that the cache is not closed under it. */
function track(model: EmbeddingModel, tracked: <T>(promise: Promise<T>) => Promise<T>): EmbeddingModel {
  return {
    ...model,
    embed: (texts, purpose, signal) => tracked(model.embed(texts, purpose, signal)),
    fingerprint: (signal) => tracked(model.fingerprint(signal)),
    dimensions: (signal, options) => tracked(model.dimensions(signal, options)),
  };
}
