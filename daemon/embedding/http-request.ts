import type { DeepReadonly } from "../../config/load.ts";
import type { HttpModelSettings } from "../../config/embedding-schema.ts";
import { EndpointFailure, failureOfStatus, withoutKey, type EndpointNames } from "../endpoint/failures.ts";
import { endpointUrl, keyOf, postJson } from "../endpoint/post-json.ts";
import { MalformedAnswer } from "./answer-vectors.ts";
import type { EmbeddingProtocol } from "./protocol.ts";

export interface RequestDeps {
  readonly settings: DeepReadonly<HttpModelSettings>;
  readonly protocol: EmbeddingProtocol;
  /** Null where the endpoint needs no key. Throws an Error that says what is missing. */
  readonly apiKey: () => Promise<string | null>;
  readonly fetch: typeof fetch;
  readonly now: () => number;
}

/** A number takes about 22 characters; more than this for each text is no answer to what was asked. */
const MAX_BODY_BYTES_PER_TEXT = 1024 * 1024;

/** One request for vectors: one a text, in order. Throws EndpointFailure, or the signal's reason. */
export async function requestVectors(
  deps: RequestDeps,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Float32Array[]> {
  const { settings, protocol, now } = deps;
  const key = await keyOf(settings.id, deps.apiKey);
  const names: EndpointNames = {
    id: settings.id,
    url: settings.url,
    key,
    missing: (said) => protocol.missing(settings, said),
  };
  const options = {
    fetch: deps.fetch,
    url: endpointUrl(settings.url, protocol.path),
    names,
    timeoutMs: settings.timeoutMs,
    maxBodyBytes: texts.length * MAX_BODY_BYTES_PER_TEXT,
  };
  const body = protocol.body(settings, texts);
  let answer = await postJson({ ...options, body }, signal);
  if (protocol.adapt?.(body, answer))
    answer = await postJson({ ...options, body: protocol.body(settings, texts) }, signal);
  if (answer.status < 200 || answer.status >= 300) throw failureOfStatus(names, answer, now());
  try {
    return await protocol.vectors(answer.body, texts.length);
  } catch (error) {
    throw failureOfAnswer(names, error);
  }
}

/** Transient: such answers come from proxies and from servers that are just starting. */
function failureOfAnswer(names: EndpointNames, error: unknown): unknown {
  if (!(error instanceof MalformedAnswer)) return error;
  const message = `${names.url} answered with ${withoutKey(error.message, names.key)}`;
  return new EndpointFailure("malformed", "transient", message);
}
