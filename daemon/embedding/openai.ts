import { createHash } from "node:crypto";
import type { VectorCache } from "./cache.ts";
import { CONVEX_ALPHA } from "./embedded.ts";
import type { Limiter } from "./limiter.ts";
import { sendPieces, withCall, type CallDeps, type Piece } from "./openai-call.ts";
import { requestVectors, type RequestDeps } from "./openai-request.ts";
import { EmbeddingFailure, type EmbeddingModel } from "./provider.ts";

export interface OpenAiModelDeps extends Omit<RequestDeps, "encoding"> {
  readonly cache: VectorCache;
  readonly limiter: Limiter;
  readonly retryBaseMs: number;
  /** Aborts when the daemon stops. */
  readonly closing: AbortSignal;
}

/** A model behind an OpenAI-compatible endpoint: also Ollama, LM Studio, llama.cpp. Each batch is cached as it arrives. */
export function createOpenAiModel(deps: OpenAiModelDeps): EmbeddingModel {
  const { settings, cache, limiter, retryBaseMs } = deps;
  const fingerprint = fingerprintOf(settings);
  let dimensions = settings.dimensions ?? cache.dimensions(fingerprint);
  let batchTexts = settings.batchSize;
  const requestDeps: RequestDeps = { ...deps, encoding: { base64: true } };

  const embed: EmbeddingModel["embed"] = async (texts, purpose, signal) => {
    const prefix = purpose === "query" ? settings.queryPrefix : settings.documentPrefix;
    const pieces = texts.map((text) => pieceOf(prefix + text));
    const found = cached(cache, fingerprint, pieces, dimensions);
    const calls: CallDeps = {
      url: settings.url,
      limiter,
      retryBaseMs,
      request: (batch, stop) => requestVectors(requestDeps, batch, stop),
      async keep(batch, vectors) {
        dimensions ??= rememberDimensions(cache, fingerprint, vectors);
        refuseOtherDimensions(settings.id, vectors, dimensions);
        const fresh = new Map(batch.map((piece, at) => [piece.hash, vectors[at]!]));
        for (const [hash, vector] of fresh) found.set(hash, vector);
        await cache.put(fingerprint, fresh);
      },
      tooMany(count) {
        batchTexts = Math.min(batchTexts, Math.ceil(count / 2));
      },
    };
    const missing = new Map(
      pieces.filter(({ hash }) => !found.has(hash)).map((piece) => [piece.hash, piece]),
    );
    if (missing.size > 0) {
      const bounds = { texts: batchTexts, characters: settings.batchCharacters };
      const signals = signal ? [signal, deps.closing] : [deps.closing];
      await withCall(purpose, signals, (call) => sendPieces(calls, [...missing.values()], bounds, call));
    }
    return pieces.map((piece) => found.get(piece.hash)!);
  };

  return {
    id: settings.id,
    fingerprint,
    resumes: settings.resume,
    fusion: settings.fusion === "convex" ? { kind: "convex", alpha: CONVEX_ALPHA } : { kind: "rrf" },
    files: null,
    async dimensions(signal) {
      if (dimensions !== null) return dimensions;
      const [probe] = await embed(["dimensions"], "document", signal);
      return probe!.length;
    },
    hasVectors(texts) {
      const pieces = texts.map((text) => pieceOf(settings.documentPrefix + text));
      const found = cached(cache, fingerprint, pieces, dimensions);
      return pieces.every((piece) => found.has(piece.hash));
    },
    embed,
  };
}

/** All that changes a document's vector; the address does not, so that a server may move. */
function fingerprintOf({ provider, model, dimensions, documentPrefix }: OpenAiModelDeps["settings"]): string {
  const prefix = documentPrefix === "" ? "" : `#${sha256(documentPrefix).slice(0, 8)}`;
  return `${provider}/${model}${dimensions === undefined ? "" : `@${dimensions}`}${prefix}`;
}

function pieceOf(text: string): Piece {
  return { hash: sha256(text), text };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function cached(
  cache: VectorCache,
  fingerprint: string,
  pieces: readonly Piece[],
  dimensions: number | null,
): Map<string, Float32Array> {
  const found = cache.get(
    fingerprint,
    pieces.map((piece) => piece.hash),
  );
  for (const [hash, { length }] of found) {
    if (dimensions !== null && length !== dimensions) found.delete(hash);
  }
  return found;
}

function rememberDimensions(
  cache: VectorCache,
  fingerprint: string,
  vectors: readonly Float32Array[],
): number {
  const { length } = vectors[0]!;
  cache.rememberDimensions(fingerprint, length);
  return length;
}

function refuseOtherDimensions(id: string, vectors: readonly Float32Array[], expected: number): void {
  const other = vectors.find((vector) => vector.length !== expected);
  if (!other) return;
  throw new EmbeddingFailure(
    "permanent",
    `the endpoint of ${id} gives vectors of ${other.length} numbers where ${expected} are expected: ` +
      "it serves another model now, or dimensions is set wrongly; configure a new id for another model",
  );
}
