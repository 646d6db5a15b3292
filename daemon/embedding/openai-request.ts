import type { DeepReadonly } from "../../config/load.ts";
import type { EmbeddingModelSettings } from "../../config/embedding-schema.ts";
import { withDeadline } from "./deadline.ts";
import { MalformedAnswer, vectorsOfAnswer } from "./openai-answer.ts";
import { failureOfError, failureOfStatus, withoutKey, type EndpointNames } from "./openai-failures.ts";
import { EmbeddingFailure } from "./provider.ts";

export interface RequestDeps {
  readonly settings: DeepReadonly<EmbeddingModelSettings>;
  /** Null where the endpoint needs no key. Throws an Error that says what is missing. */
  readonly apiKey: () => Promise<string | null>;
  readonly fetch: typeof fetch;
  readonly now: () => number;
  /** How vectors are asked for: in base64 until the endpoint refuses that. */
  readonly encoding: { base64: boolean };
}

/** A number takes about 22 characters; more than this for each text is no answer to what was asked. */
const MAX_BODY_BYTES_PER_TEXT = 1024 * 1024;

/** One `POST {url}/embeddings`: a vector a text, in order. Throws EmbeddingFailure, or the signal's reason. */
export async function requestVectors(
  deps: RequestDeps,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Float32Array[]> {
  const { settings, now, encoding } = deps;
  const { base64 } = encoding;
  const key = await keyOf(deps);
  const names: EndpointNames = { id: settings.id, url: settings.url, model: settings.model, key };
  const answer = await exchange(deps, texts, names, signal);
  if (base64 && refusesEncoding(answer)) {
    encoding.base64 = false;
    return await requestVectors(deps, texts, signal);
  }
  if (answer.status < 200 || answer.status >= 300) throw failureOfStatus(names, answer, now());
  try {
    return await vectorsOfAnswer(answer.body, texts.length);
  } catch (error) {
    throw failureOfAnswer(names, error);
  }
}

/** Transient: such answers come from proxies and from servers that are just starting. */
function failureOfAnswer(names: EndpointNames, error: unknown): unknown {
  if (!(error instanceof MalformedAnswer)) return error;
  return new EmbeddingFailure(
    "transient",
    `${names.url} answered with ${withoutKey(error.message, names.key)}`,
  );
}

/** Base64 takes a quarter of the bytes, and a fiftieth of the time to read; many servers know it, and some refuse what they don't. */
function refusesEncoding({ status, body }: { readonly status: number; readonly body: string }): boolean {
  return (status === 400 || status === 422 || status === 501) && /encoding_format|base64/i.test(body);
}

async function exchange(
  deps: RequestDeps,
  texts: readonly string[],
  names: EndpointNames,
  outer: AbortSignal,
): Promise<{ status: number; body: string; retryAfter: string | null }> {
  const { settings } = deps;
  try {
    return await withDeadline(settings.timeoutMs, outer, async (signal) => {
      const response = await deps.fetch(embeddingsUrl(settings.url), {
        method: "POST",
        // A redirect would carry the texts to an address that nobody configured.
        redirect: "manual",
        signal,
        headers: {
          "content-type": "application/json",
          accept: "application/json",
          ...(names.key === null ? {} : { authorization: `Bearer ${names.key}` }),
        },
        body: JSON.stringify({
          model: settings.model,
          input: texts,
          ...(deps.encoding.base64 ? { encoding_format: "base64" } : {}),
          ...(settings.dimensions === undefined ? {} : { dimensions: settings.dimensions }),
        }),
      });
      const body = await readBody(response, texts.length * MAX_BODY_BYTES_PER_TEXT);
      return { status: response.status, body, retryAfter: response.headers.get("retry-after") };
    });
  } catch (error) {
    outer.throwIfAborted();
    throw failureOfError(names, error) ?? error;
  }
}

async function keyOf({ apiKey, settings }: RequestDeps): Promise<string | null> {
  try {
    return await apiKey();
  } catch (error) {
    throw new EmbeddingFailure("permanent", `${settings.id}: ${(error as Error).message}`);
  }
}

/** `/embeddings` goes after the path, before a query string, and not twice. */
function embeddingsUrl(address: string): URL {
  const url = new URL(address);
  const path = url.pathname.replace(/\/+$/, "");
  url.pathname = path.endsWith("/embeddings") ? path : `${path}/embeddings`;
  return url;
}

async function readBody(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      throw new EmbeddingFailure("transient", `the endpoint's answer is larger than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
