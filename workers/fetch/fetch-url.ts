import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { Agent, type Dispatcher, ProxyAgent } from "undici";
import { checkUrl, hostOf } from "./check-url.ts";
import { allowedAddresses, guardedConnector, type Resolve } from "./connect.ts";
import type { FetchRules, Validators } from "./contract.ts";
import { FetchProblem } from "./fetch-problem.ts";
import { kindByBytes, type Kind, kindOf, mediaTypeOf } from "./media-type.ts";
import { readBody, sizeProblem } from "./read-body.ts";
import { requestHeaders } from "./request-headers.ts";

const MAX_REDIRECTS = 5;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MAX_VALIDATOR = 1000;

export interface Fetched {
  readonly kind: Kind;
  /** After redirects. */
  readonly url: URL;
  readonly charset: string | null;
  readonly bytes: Buffer;
  readonly validators: Validators;
}

export interface FetchRequest {
  readonly url: string;
  readonly rules: FetchRules;
  readonly validators: Validators | null;
  readonly signal?: AbortSignal | undefined;
}

/** The system's resolver, in the order that it prefers. */
const systemResolve: Resolve = (host) => lookup(host, { all: true, verbatim: true });

/**
 * Fetches a URL, or finds that it is as it was. Every address on the way is checked: the given one, where redirects lead, what
 * names resolve to, and what is connected to.
 * @throws FetchProblem; the signal's reason when it aborts.
 */
export async function fetchUrl(
  { url, rules, validators, signal }: FetchRequest,
  resolve: Resolve = systemResolve,
): Promise<Fetched | { readonly kind: "unchanged"; readonly validators: Validators }> {
  const timeout = AbortSignal.timeout(rules.timeoutMs);
  const ends = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  const start = checkUrl(url, rules);
  const agent = openAgent(rules, resolve, ends);
  try {
    return await follow(start, { agent, rules, validators, resolve, signal: ends });
  } catch (error) {
    signal?.throwIfAborted();
    throw timeout.aborted
      ? new FetchProblem("failed", `it was not there after ${Math.round(rules.timeoutMs / 1000)} s`)
      : problemOf(error);
  } finally {
    await agent.destroy();
  }
}

interface Way {
  readonly agent: Dispatcher;
  readonly rules: FetchRules;
  readonly validators: Validators | null;
  readonly resolve: Resolve;
  readonly signal: AbortSignal;
}

function openAgent(
  { allowPrivate, proxy, timeoutMs }: FetchRules,
  resolve: Resolve,
  signal: AbortSignal,
): Dispatcher {
  const limits = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs };
  if (proxy === null)
    return new Agent({ ...limits, connect: guardedConnector(resolve, allowPrivate, signal) });
  const { url, authorization } = proxy;
  return new ProxyAgent({
    ...limits,
    uri: url,
    proxyTunnel: false,
    ...(authorization !== null && { token: authorization }),
  });
}

async function follow(start: URL, way: Way): ReturnType<typeof fetchUrl> {
  let url = start;
  for (let hops = 0; ; hops++) {
    const answer = await ask(url, way);
    const { statusCode: status, headers, body } = answer;
    const location = headers["location"];
    if (!redirects.has(status) || location === undefined) return await take(url, answer, way);
    body.on("error", () => undefined).destroy();
    if (hops === MAX_REDIRECTS)
      throw new FetchProblem("refused", `it redirects more than ${MAX_REDIRECTS} times`);
    url = checkUrl(first(location), way.rules, url);
  }
}

async function ask(
  url: URL,
  { agent, rules, validators, resolve, signal }: Way,
): Promise<Dispatcher.ResponseData> {
  // A proxy resolves names itself: a name that is known here to lead inside is not handed to it.
  if (rules.proxy !== null) await refuseKnownInside(url, rules, resolve, signal);
  return await agent.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: "GET",
    headers: requestHeaders(url, rules, validators),
    signal,
  });
}

async function refuseKnownInside(
  url: URL,
  { allowPrivate }: FetchRules,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<void> {
  if (isIP(hostOf(url)) !== 0) return;
  try {
    await unlessAborted(allowedAddresses(hostOf(url), resolve, allowPrivate), signal);
  } catch (error) {
    // Behind a proxy the names of the world may be unknown.
    if (!(error instanceof FetchProblem) || error.kind === "refused") throw error;
  }
}

async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = new Promise<never>((_resolve, reject) =>
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true }),
  );
  return await Promise.race([promise, aborted]);
}

async function take(
  url: URL,
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
  { rules, validators, signal }: Way,
): ReturnType<typeof fetchUrl> {
  try {
    if (status === 304 && validators?.url === url.href) return { kind: "unchanged", validators };
    refuseStatus(status);
    const type = mediaTypeOf(first(headers["content-type"]));
    const kind = kindOf(type, url);
    if (Number(first(headers["content-length"])) > rules.maxBytes) throw sizeProblem(rules.maxBytes);
    const bytes = await readBody(body, first(headers["content-encoding"]), rules.maxBytes, signal);
    return {
      kind: kind ?? kindByBytes(bytes, url),
      url,
      charset: type.charset,
      bytes,
      validators: {
        url: url.href,
        etag: validator(headers["etag"]),
        lastModified: validator(headers["last-modified"]),
      },
    };
  } finally {
    body.on("error", () => undefined).destroy();
  }
}

function refuseStatus(status: number): void {
  if (status >= 200 && status < 300 && status !== 204 && status !== 205 && status !== 206) return;
  if (status === 404 || status === 410)
    throw new FetchProblem("gone", `the server says that there is nothing at this address (${status})`);
  if (status === 401 || status === 403 || status === 407)
    throw new FetchProblem(
      "failed",
      `the server wants to know who asks (${status}): headers and cookies of a host stand in snapshot.hosts`,
    );
  throw new FetchProblem("failed", `the server answered ${status} instead of a page`);
}

function first(header: string | string[] | undefined): string {
  return (Array.isArray(header) ? header[0] : header) ?? "";
}

/** What goes into a header again: one short line. */
function validator(header: string | string[] | undefined): string | null {
  const value = first(header);
  return value === "" || value.length > MAX_VALIDATOR || /[^\x20-\x7e]/.test(value) ? null : value;
}

/** Errors of the network get a sentence; what is ours passes. */
function problemOf(error: unknown): unknown {
  if (error instanceof FetchProblem || !(error instanceof Error)) return error;
  const causes = error instanceof AggregateError ? (error.errors as NodeJS.ErrnoException[]) : [];
  const code = (error as NodeJS.ErrnoException).code ?? causes[0]?.code;
  if (code === undefined && error instanceof TypeError) return error;
  return new FetchProblem("failed", `it could not be fetched (${error.message || code})`);
}
