/** One embedding model: embedded, in a folder, or behind HTTP. Vectors of two models are never compared. */
export interface EmbeddingModel {
  readonly id: string;
  /**
   * All that changes a document's vector: provider, model name or files, dimensions asked for, document prefix. It is stored
   * with the base whose vectors the model made, so that another model behind the same id is noticed. Throws EmbeddingFailure
   * when it can't be found out.
   */
  fingerprint(signal?: AbortSignal): Promise<string>;
  /** The fingerprint as far as it is known without waiting; null when it was not found out yet. */
  lastFingerprint(): string | null;
  /** Remote and paid embedders wait for a word after a crash (K4.6). */
  readonly resumes: "always" | "ask";
  /** How its list is fused with the word list. */
  readonly fusion: { readonly kind: "rrf" } | { readonly kind: "convex"; readonly alpha: number };
  /** The embedded model's files, for the search host; null when queries go through `embed`. */
  readonly files: {
    readonly modelPath: string;
    readonly vocabularyPath: string;
    readonly relatedPath: string;
  } | null;
  /**
   * Known for the embedded one; probed once for others, and again when `anew`: then what was known before is forgotten.
   * Throws EmbeddingFailure when the model can't be asked.
   */
  dimensions(signal?: AbortSignal, options?: { readonly anew?: boolean }): Promise<number>;
  /** Whether all of these texts of documents can be embedded without asking, and perhaps paying, an endpoint. */
  hasVectors(texts: readonly string[]): boolean;
  /** One vector a text, in order. Throws EmbeddingFailure. */
  embed(
    texts: readonly string[],
    purpose: "document" | "query",
    signal?: AbortSignal,
  ): Promise<Float32Array[]>;
}

export interface EmbeddingModels {
  get(id: string): EmbeddingModel | undefined;
  ids(): string[];
  close(): Promise<void>;
}

/** transient: try again after retryAfterMs (or the queue's own backoff). permanent: the endpoint refuses this text or this caller. */
export class EmbeddingFailure extends Error {
  override readonly name = "EmbeddingFailure";
  readonly kind: "transient" | "permanent";
  readonly retryAfterMs: number | null;
  constructor(
    kind: "transient" | "permanent",
    message: string,
    retryAfterMs: number | null = null,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}
