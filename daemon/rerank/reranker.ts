/** A model that says how well texts answer a query. */
export interface Reranker {
  readonly id: string;
  /** Characters of a text that are sent, and texts of one call. */
  readonly maxCharacters: number;
  readonly maxDocuments: number;
  /**
   * How relevant each of the texts is, 0 to 1, in their order. Rejects with RerankFailure, or with the signal's reason when
   * the caller went away; a signal that aborts with a TimeoutError is a failure.
   */
  score(query: string, texts: readonly string[], signal: AbortSignal): Promise<number[]>;
}

export interface Rerankers {
  get(id: string): Reranker | undefined;
  ids(): string[];
}

/** There are no scores; the message says why, without texts or keys. */
export class RerankFailure extends Error {
  override readonly name = "RerankFailure";
}
