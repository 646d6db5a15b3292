import { sha256 } from "../../workers/ids.ts";
import type { VectorCache } from "./cache.ts";
import { CONVEX_ALPHA } from "./embedded.ts";
import { EmbeddingFailure, type EmbeddingModel } from "./provider.ts";

/** A text as it is sent, and its sha256. */
export interface Piece {
  readonly hash: string;
  readonly text: string;
}

/** What is known of a model before it is asked for vectors. */
export interface ModelDescription {
  readonly fingerprint: string;
  readonly queryPrefix: string;
  readonly documentPrefix: string;
  /** Null when it takes a vector to find out. */
  readonly dimensions: number | null;
}

export interface CachedModelDeps {
  readonly settings: {
    readonly id: string;
    readonly resume: "ask" | "always";
    readonly fusion: "rrf" | "convex";
  };
  readonly cache: VectorCache;
  describe(signal?: AbortSignal): Promise<ModelDescription>;
  /** The description, when it is known already. */
  described(): ModelDescription | null;
  /**
   * Gets the pieces' vectors and gives them to `keep` as they arrive. Throws when any got none; all that did have been kept
   * by then.
   */
  send(
    pieces: readonly Piece[],
    purpose: "document" | "query",
    keep: (pieces: readonly Piece[], vectors: readonly Float32Array[]) => Promise<void>,
    signal: AbortSignal | undefined,
  ): Promise<void>;
}

/** A model whose vectors are kept as they arrive, so that none is paid for or computed twice; prefixes and dimensions are its care. */
export function createCachedModel(deps: CachedModelDeps): EmbeddingModel {
  const { settings, cache } = deps;
  const probed = new Map<string, number>();
  const dimensionsOf = ({ fingerprint, dimensions }: ModelDescription): number | null => {
    const known = dimensions ?? probed.get(fingerprint) ?? cache.dimensions(fingerprint);
    if (known !== null) probed.set(fingerprint, known);
    return known;
  };
  const remember = ({ fingerprint }: ModelDescription, dimensions: number): void => {
    probed.set(fingerprint, dimensions);
    cache.rememberDimensions(fingerprint, dimensions);
  };

  const embed: EmbeddingModel["embed"] = async (texts, purpose, signal) => {
    const model = await deps.describe(signal);
    const prefix = purpose === "query" ? model.queryPrefix : model.documentPrefix;
    const pieces = texts.map((text) => pieceOf(prefix + text));
    const found = cached(cache, model.fingerprint, pieces, dimensionsOf(model));
    const missing = new Map(
      pieces.filter(({ hash }) => !found.has(hash)).map((piece) => [piece.hash, piece]),
    );
    const keep = async (batch: readonly Piece[], vectors: readonly Float32Array[]): Promise<void> => {
      if (dimensionsOf(model) === null) remember(model, vectors[0]!.length);
      refuseOtherDimensions(settings.id, vectors, dimensionsOf(model)!);
      const fresh = new Map(batch.map((piece, at) => [piece.hash, vectors[at]!]));
      for (const [hash, vector] of fresh) found.set(hash, vector);
      await cache.put(model.fingerprint, fresh);
    };
    if (missing.size > 0) await deps.send([...missing.values()], purpose, keep, signal);
    return pieces.map((piece) => found.get(piece.hash)!);
  };

  return {
    id: settings.id,
    fingerprint: async (signal) => (await deps.describe(signal)).fingerprint,
    lastFingerprint: () => deps.described()?.fingerprint ?? null,
    resumes: settings.resume,
    fusion: settings.fusion === "convex" ? { kind: "convex", alpha: CONVEX_ALPHA } : { kind: "rrf" },
    files: null,
    async dimensions(signal, { anew = false } = {}) {
      const model = await deps.describe(signal);
      const known = dimensionsOf(model);
      if (known !== null && (!anew || model.dimensions !== null)) return known;
      const probe = pieceOf(`${model.documentPrefix}dimensions`);
      const keep = async (_: readonly Piece[], [vector]: readonly Float32Array[]): Promise<void> => {
        remember(model, vector!.length);
        await cache.put(model.fingerprint, new Map([[probe.hash, vector!]]));
      };
      await deps.send([probe], "document", keep, signal);
      return dimensionsOf(model)!;
    },
    hasVectors(texts) {
      const model = deps.described();
      if (model === null) return false;
      const pieces = texts.map((text) => pieceOf(model.documentPrefix + text));
      const found = cached(cache, model.fingerprint, pieces, dimensionsOf(model));
      return pieces.every((piece) => found.has(piece.hash));
    },
    embed,
  };
}

/** `#` and the beginning of its hash, for a fingerprint; nothing for none. */
export function prefixMark(documentPrefix: string): string {
  return documentPrefix === "" ? "" : `#${sha256(documentPrefix).slice(0, 8)}`;
}

function pieceOf(text: string): Piece {
  return { hash: sha256(text), text };
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

function refuseOtherDimensions(id: string, vectors: readonly Float32Array[], expected: number): void {
  const other = vectors.find((vector) => vector.length !== expected);
  if (!other) return;
  throw new EmbeddingFailure(
    "permanent",
    `${id} gives vectors of ${other.length} numbers where ${expected} are expected: it is another model now, or ` +
      "dimensions is set wrongly; set that right, or reindex its bases with the model as it is now: knowd reindex --base …",
  );
}
