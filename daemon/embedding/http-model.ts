import { EndpointFailure } from "../endpoint/failures.ts";
import type { VectorCache } from "./cache.ts";
import { createCachedModel, prefixMark, type ModelDescription } from "./cached-model.ts";
import { sendPieces, withCall, type CallDeps } from "./http-call.ts";
import { requestVectors, type RequestDeps } from "./http-request.ts";
import type { Limiter } from "../endpoint/limiter.ts";
import { createOllamaProtocol } from "./ollama-protocol.ts";
import { createOpenAiProtocol } from "./openai-protocol.ts";
import { EmbeddingFailure, type EmbeddingModel } from "./provider.ts";

export interface HttpModelDeps extends Omit<RequestDeps, "protocol"> {
  readonly cache: VectorCache;
  readonly limiter: Limiter;
  readonly retryBaseMs: number;
  /** Aborts when the daemon stops. */
  readonly closing: AbortSignal;
}

const protocols = { openai: createOpenAiProtocol, ollama: createOllamaProtocol } as const;

/** A model behind an endpoint of the OpenAI kind, or behind Ollama's own. */
export function createHttpModel(deps: HttpModelDeps): EmbeddingModel {
  const { settings, cache, limiter, retryBaseMs } = deps;
  const requestDeps: RequestDeps = { ...deps, protocol: protocols[settings.provider]() };
  const description: ModelDescription = {
    fingerprint: fingerprintOf(settings),
    queryPrefix: settings.queryPrefix ?? "",
    documentPrefix: settings.documentPrefix ?? "",
    dimensions: settings.dimensions ?? null,
  };
  let batchTexts = settings.batchSize;

  return createCachedModel({
    settings,
    cache,
    describe: () => Promise.resolve(description),
    described: () => description,
    async send(pieces, purpose, keep, signal) {
      const calls: CallDeps = {
        url: settings.url,
        limiter,
        retryBaseMs,
        request: (batch, stop) => requestVectors(requestDeps, batch, stop),
        keep,
        tooMany(count) {
          batchTexts = Math.min(batchTexts, Math.ceil(count / 2));
        },
      };
      const bounds = { texts: batchTexts, characters: settings.batchCharacters };
      const signals = signal ? [signal, deps.closing] : [deps.closing];
      try {
        await withCall(purpose, signals, (call) => sendPieces(calls, pieces, bounds, call));
      } catch (error) {
        if (!(error instanceof EndpointFailure)) throw error;
        throw new EmbeddingFailure(error.kind, error.message, error.retryAfterMs, error);
      }
    },
  });
}

/** The address is not part of it, so that a server may move. */
function fingerprintOf({
  provider,
  model,
  dimensions,
  documentPrefix = "",
}: HttpModelDeps["settings"]): string {
  return `${provider}/${model}${dimensions === undefined ? "" : `@${dimensions}`}${prefixMark(documentPrefix)}`;
}
