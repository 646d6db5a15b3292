import type { DeepReadonly } from "../../config/load.ts";
import type { HttpModelSettings } from "../../config/embedding-schema.ts";

type Settings = DeepReadonly<HttpModelSettings>;

/** How one kind of endpoint is asked for vectors. One for each model: it remembers what the endpoint refused. */
export interface EmbeddingProtocol {
  /** Comes after the configured address. */
  readonly path: string;
  body(settings: Settings, texts: readonly string[]): Readonly<Record<string, unknown>>;
  /** One vector a text, each of length one (or all zero). Rejects with MalformedAnswer. */
  vectors(body: string, texts: number): Promise<Float32Array[]>;
  /** What a 404 means, and what to do; `said` are the endpoint's own words. */
  missing(settings: Settings, said: string): string;
  /** Whether the endpoint refused a manner of asking that can be left out: the request is then sent once more. */
  adapt?(
    sent: Readonly<Record<string, unknown>>,
    answer: { readonly status: number; readonly body: string },
  ): boolean;
}
