/** One embedding model: embedded, or behind HTTP. Vectors of two models are never compared. */
export interface EmbeddingModel {
  readonly id: string;
  /** What to store beside the vectors, so that a changed model is noticed: provider, model name, version. */
  readonly fingerprint: string;
  /** Remote and paid embedders wait for a word after a crash (K4.6). */
  readonly resumes: "always" | "ask";
  /** How its list is fused with the word list. */
  readonly fusion: { readonly kind: "rrf" } | { readonly kind: "convex"; readonly alpha: number };
  /** The embedded model's files, for the search host; null when queries go through `embed`. */
  readonly files: { readonly modelPath: string; readonly vocabularyPath: string } | null;
  /** Known for the embedded one; probed once for others. Throws when the endpoint can't be asked. */
  dimensions(signal?: AbortSignal): Promise<number>;
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
