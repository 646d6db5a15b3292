import type { DeepReadonly } from "../../config/load.ts";
import type { RerankModelSettings, RerankSettings } from "../../config/rerank-schema.ts";
import { createCircuit } from "../endpoint/circuit.ts";
import { createLimiter } from "../endpoint/limiter.ts";
import { createHttpReranker } from "./http-reranker.ts";
import type { Rerankers } from "./reranker.ts";

export interface RerankersDeps {
  readonly config: DeepReadonly<RerankSettings>;
  /** Reads the key of a reranker's endpoint; null where it needs none. */
  readonly apiKey: (model: DeepReadonly<RerankModelSettings>) => Promise<string | null>;
  readonly fetch?: typeof fetch;
}

/** Those of the configuration. They hold nothing open: a call ends with its search. */
export function openRerankers({ config, apiKey, fetch: given = fetch }: RerankersDeps): Rerankers {
  const clock = (): number => performance.now();
  const byId = new Map(
    config.models.map((settings) => [
      settings.id,
      createHttpReranker({
        settings,
        apiKey: () => apiKey(settings),
        fetch: given,
        now: Date.now,
        limiter: createLimiter({ maxConcurrent: settings.maxConcurrent, now: clock }),
        circuit: createCircuit(clock),
      }),
    ]),
  );
  return { get: (id) => byId.get(id), ids: () => [...byId.keys()] };
}
