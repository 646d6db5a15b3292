import { parseRetryAfter } from "../runtime/retry-after.ts";

/** What a message may name. The key itself is given only to be taken out of what the endpoint says. */
export interface EndpointNames {
  readonly id: string;
  readonly url: string;
  readonly key: string | null;
  /** What a 404 means, and what to check; `said` are the endpoint's own words. */
  missing(said: string): string;
}

/**
 * transient: another attempt may help, after `retryAfterMs` where the endpoint said so. permanent: it refuses this request or
 * this caller. too_large: fewer or shorter texts may pass; permanent, it says nothing against other texts. throttled: the
 * endpoint wants less of everything.
 */
export class EndpointFailure extends Error {
  override readonly name = "EndpointFailure";
  readonly reason: "too_large" | "throttled" | "refused" | "unreachable" | "timeout" | "malformed";
  readonly kind: "transient" | "permanent";
  readonly retryAfterMs: number | null;
  constructor(
    reason: EndpointFailure["reason"],
    kind: EndpointFailure["kind"],
    message: string,
    retryAfterMs: number | null = null,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.reason = reason;
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

export function isTooLarge(error: unknown): error is EndpointFailure {
  return error instanceof EndpointFailure && error.reason === "too_large";
}

const MAX_QUOTED_CHARACTERS = 200;
/** A used-up quota does not come back within a request's patience. */
const QUOTA_WAIT_MS = 10 * 60 * 1000;

const TOO_LARGE =
  /too (large|long|many|big)|maximum|exceed|context (length|size|window)|batch size|token limit/i;

/** What an HTTP status other than 2xx means for the caller. */
export function failureOfStatus(
  names: EndpointNames,
  answer: { readonly status: number; readonly body: string; readonly retryAfter: string | null },
  nowMs: number,
): EndpointFailure {
  const { status, body } = answer;
  const { message, code } = errorOfAnswer(body);
  const said = quoted(message, names.key);
  const permanent = (text: string): EndpointFailure =>
    new EndpointFailure("refused", "permanent", text + said);
  if (status === 401 || status === 403) return permanent(refusedCaller(names, status));
  if (status === 404) {
    return permanent(names.missing(message));
  }
  if (status >= 300 && status < 400) {
    return permanent(
      `${names.url} sends callers elsewhere (${status}): set url of ${names.id} to the address itself`,
    );
  }
  if (refusesSize(status, message)) {
    return new EndpointFailure(
      "too_large",
      "permanent",
      `${names.url} takes no text of this size (${status})${said}`,
    );
  }
  const retryAfterMs = parseRetryAfter(answer.retryAfter, nowMs);
  if (status === 429 || (status === 503 && retryAfterMs !== null))
    return throttled(names, status, said, code, retryAfterMs);
  if (status === 408 || status === 425 || (status >= 500 && status !== 501)) {
    return new EndpointFailure(
      "refused",
      "transient",
      `${names.url} has trouble (${status})${said}`,
      retryAfterMs,
    );
  }
  return permanent(`${names.url} refuses the request (${status})`);
}

/** A refused `dimensions` also speaks of a maximum, but sending less text would not help. */
function refusesSize(status: number, message: string): boolean {
  if (status === 413) return true;
  return (
    (status === 400 || status === 422 || status === 500) &&
    TOO_LARGE.test(message) &&
    !/dimension/i.test(message)
  );
}

function throttled(
  names: EndpointNames,
  status: number,
  said: string,
  code: string,
  retryAfterMs: number | null,
): EndpointFailure {
  if (code !== "insufficient_quota") {
    const message = `${names.url} asks for fewer requests (${status})${said}`;
    return new EndpointFailure("throttled", "transient", message, retryAfterMs);
  }
  const waitMs = Math.max(QUOTA_WAIT_MS, retryAfterMs ?? 0);
  return new EndpointFailure(
    "throttled",
    "transient",
    `${names.url}: the account's quota is used up${said}`,
    waitMs,
  );
}

/** What a request that got no answer means. Null for an error that is not the network's. */
export function failureOfError(names: EndpointNames, error: unknown): EndpointFailure | null {
  if (!(error instanceof Error)) return null;
  if (error.name === "TimeoutError") {
    return new EndpointFailure("timeout", "transient", `${names.url}: ${error.message}`, null, error);
  }
  if (!(error instanceof TypeError) || error.cause === undefined) return null;
  const code = codeOf(error.cause);
  const kind = CERTIFICATE.test(code) || isBadPort(error.cause) ? "permanent" : "transient";
  return new EndpointFailure(
    "unreachable",
    kind,
    `${names.url} can't be reached: ${networkReason(code, error.cause)}`,
    null,
    error,
  );
}

/** fetch calls no port that belongs to another well-known protocol. */
function isBadPort(cause: unknown): boolean {
  return cause instanceof Error && cause.message === "bad port";
}

const CERTIFICATE = /^(CERT_|DEPTH_ZERO_|UNABLE_TO_|SELF_SIGNED_|ERR_TLS_CERT)/;

function networkReason(code: string, cause: unknown): string {
  if (code === "ECONNREFUSED") return "nothing listens there; is the server running?";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "its name has no address";
  if (code === "ECONNRESET" || code === "UND_ERR_SOCKET" || code === "EPIPE") return "the connection was cut";
  if (CERTIFICATE.test(code))
    return `its certificate is not trusted (${code}); NODE_EXTRA_CA_CERTS can name more`;
  if (isBadPort(cause)) return "its port belongs to another protocol, and is not called; use another one";
  return code === "" ? (cause instanceof Error ? cause.message : "unknown reason") : code;
}

/** Where a host has several addresses, an AggregateError holds one error for each. */
function codeOf(cause: unknown): string {
  const { code, errors } = cause as { code?: unknown; errors?: unknown };
  if (typeof code === "string") return code;
  return Array.isArray(errors) && errors.length > 0 ? codeOf(errors[0]) : "";
}

function refusedCaller(names: EndpointNames, status: number): string {
  if (names.key === null) {
    return `${names.url} wants a key (${status}): set apiKeyEnv or apiKeyFile of ${names.id}`;
  }
  return `${names.url} refuses the key (${status}): check what apiKeyEnv or apiKeyFile of ${names.id} holds`;
}

/** Words of the endpoint as they may stand in a log: without the key, on one line, not too long. */
export function withoutKey(message: string, key: string | null): string {
  const clean = (key === null ? message : message.replaceAll(key, "…")).replace(/\s+/g, " ").trim();
  return clean.length > MAX_QUOTED_CHARACTERS ? `${clean.slice(0, MAX_QUOTED_CHARACTERS)}…` : clean;
}

/** What an endpoint says about an error, in whichever of the usual shapes. */
export function errorOfAnswer(body: string): { message: string; code: string } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    // Proxies answer in HTML or plain text: nothing to quote.
    return { message: "", code: "" };
  }
  const { error, message, detail } = asRecord(parsed);
  const inner = asRecord(error);
  const text = [inner["message"], error, message, detail].find((one) => typeof one === "string");
  return { message: text ?? "", code: typeof inner["code"] === "string" ? inner["code"] : "" };
}

export function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function quoted(message: string, key: string | null): string {
  const clean = withoutKey(message, key);
  return clean === "" ? "" : `; it says: ${clean}`;
}
