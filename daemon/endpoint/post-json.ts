import { withDeadline } from "./deadline.ts";
import { EndpointFailure, failureOfError, type EndpointNames } from "./failures.ts";

export interface PostOptions {
  readonly fetch: typeof fetch;
  readonly url: URL;
  readonly names: EndpointNames;
  readonly body: unknown;
  readonly timeoutMs: number;
  /** A longer answer is none to what was asked, and is not read to its end. */
  readonly maxBodyBytes: number;
}

export interface PostAnswer {
  readonly status: number;
  readonly body: string;
  readonly retryAfter: string | null;
}

/** One POST of JSON with the key as bearer token. Throws EndpointFailure when there is no answer, or the signal's reason. */
export async function postJson(options: PostOptions, outer: AbortSignal): Promise<PostAnswer> {
  const { names, maxBodyBytes } = options;
  try {
    return await withDeadline(options.timeoutMs, outer, async (signal) => {
      const response = await options.fetch(options.url, {
        method: "POST",
        // A redirect would carry the texts to an address that nobody configured.
        redirect: "manual",
        signal,
        headers: {
          "content-type": "application/json",
          accept: "application/json",
          ...(names.key === null ? {} : { authorization: `Bearer ${names.key}` }),
        },
        body: JSON.stringify(options.body),
      });
      const body = await readBody(response, names, maxBodyBytes);
      return { status: response.status, body, retryAfter: response.headers.get("retry-after") };
    });
  } catch (error) {
    outer.throwIfAborted();
    throw failureOfError(names, error) ?? error;
  }
}

/** The key of the endpoint of `id`; null where it needs none. Throws EndpointFailure with what is missing. */
export async function keyOf(id: string, apiKey: () => Promise<string | null>): Promise<string | null> {
  try {
    return await apiKey();
  } catch (error) {
    throw new EndpointFailure("refused", "permanent", `${id}: ${(error as Error).message}`);
  }
}

/** `path` goes after the address's own, before a query string, and not twice. */
export function endpointUrl(address: string, path: string): URL {
  const url = new URL(address);
  let own = url.pathname;
  while (own.endsWith("/")) own = own.slice(0, -1);
  url.pathname = own.endsWith(path) ? own : own + path;
  return url;
}

async function readBody(response: Response, { url }: EndpointNames, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes)
      throw new EndpointFailure(
        "malformed",
        "transient",
        `${url}: its answer is larger than ${maxBytes} bytes`,
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
