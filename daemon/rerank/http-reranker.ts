import { setTimeout as delay } from "node:timers/promises";
import type { DeepReadonly } from "../../config/load.ts";
import type { RerankModelSettings } from "../../config/rerank-schema.ts";
import type { Circuit } from "../endpoint/circuit.ts";
import { EndpointFailure, failureOfStatus, withoutKey, type EndpointNames } from "../endpoint/failures.ts";
import type { Limiter } from "../endpoint/limiter.ts";
import { endpointUrl, keyOf, postJson } from "../endpoint/post-json.ts";
import { MalformedScores, rerankProtocols, scoresOfAnswer } from "./rerank-answer.ts";
import { RerankFailure, type Reranker } from "./reranker.ts";

export interface HttpRerankerDeps {
  readonly settings: DeepReadonly<RerankModelSettings>;
  /** Null where the endpoint needs no key. Throws an Error that says what is missing. */
  readonly apiKey: () => Promise<string | null>;
  readonly fetch: typeof fetch;
  /** Milliseconds since 1970, for dates in answers. */
  readonly now: () => number;
  readonly limiter: Limiter;
  readonly circuit: Circuit;
}

const ATTEMPTS = 2;
/** Before the second attempt, where the endpoint names no time; a connection that was cut is mostly an old one. */
const RETRY_MS = 50;
/** Somebody looks at the screen: what asks for a longer pause is not waited for. */
const LONGEST_RETRY_MS = 1_000;
/** Some answers repeat each text, with up to six bytes for a character; what comes beside is small. */
const MAX_BODY_BYTES = 256 * 1024;
const MAX_BODY_BYTES_PER_CHARACTER = 6;
/** An endpoint that was given less time than this is not to blame for having given no answer. */
const FAIR_TIME_MS = 1_000;

/** A reranker behind HTTP. One that fails is not asked again for a while. */
export function createHttpReranker(deps: HttpRerankerDeps): Reranker {
  const { settings, circuit, limiter } = deps;
  /** Some servers answer the model's own numbers, which know no bounds; from the first such number on, all are taken so. */
  let areLogits = false;

  async function scoreOnce(query: string, texts: readonly string[], signal: AbortSignal): Promise<number[]> {
    for (let tried = 1; ; tried++) {
      try {
        return await limiter.run(() => request(deps, query, texts, signal), { signal, urgent: true });
      } catch (error) {
        if (!(error instanceof EndpointFailure) || error.kind === "permanent") throw error;
        const waitMs = error.retryAfterMs ?? RETRY_MS;
        if (tried === ATTEMPTS || error.reason === "timeout" || waitMs > LONGEST_RETRY_MS) throw error;
        await delay(waitMs, undefined, { signal });
      }
    }
  }

  return {
    id: settings.id,
    maxCharacters: settings.maxCharacters,
    maxDocuments: settings.maxDocuments,
    async score(query, texts, signal) {
      signal.throwIfAborted();
      if (texts.length === 0) return [];
      const refusal = circuit.refusal();
      if (refusal !== null) throw new RerankFailure(refusal);
      const started = performance.now();
      try {
        const scores = await scoreOnce(query, texts, signal);
        circuit.worked();
        areLogits ||= scores.some((score) => score < 0 || score > 1);
        return areLogits ? scores.map((score) => 1 / (1 + Math.exp(-score))) : scores;
      } catch (error) {
        const waitedMs = Math.round(performance.now() - started);
        const late = signal.aborted && isTimeout(signal.reason);
        if (signal.aborted && !late) circuit.left();
        else if (late && waitedMs < FAIR_TIME_MS) circuit.left();
        else circuit.failed(messageOf(error, waitedMs, late), retryAfterOf(error));
        if (signal.aborted && !late) throw error;
        throw new RerankFailure(messageOf(error, waitedMs, late), { cause: error });
      }
    },
  };
}

async function request(
  { settings, apiKey, fetch, now }: HttpRerankerDeps,
  query: string,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<number[]> {
  const { id, url, model, timeoutMs } = settings;
  const protocol = rerankProtocols[settings.provider];
  const names: EndpointNames = {
    id,
    url,
    key: await keyOf(id, apiKey),
    missing: () =>
      `${url} has no ${protocol.path}${model === undefined ? "" : `, or knows no model ${model}`} (404): check url and model of ${id}`,
  };
  const characters = texts.reduce((sum, text) => sum + text.length, query.length);
  const answer = await postJson(
    {
      fetch,
      url: endpointUrl(url, protocol.path),
      names,
      body: protocol.body(model, query, texts),
      timeoutMs,
      maxBodyBytes: MAX_BODY_BYTES + MAX_BODY_BYTES_PER_CHARACTER * characters,
    },
    signal,
  );
  if (answer.status < 200 || answer.status >= 300) throw failureOfStatus(names, answer, now());
  try {
    return scoresOfAnswer(protocol, answer.body, texts.length);
  } catch (error) {
    if (!(error instanceof MalformedScores)) throw error;
    const said = withoutKey(error.message, names.key);
    throw new EndpointFailure("malformed", "transient", `${url} answered with ${said}`);
  }
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === "TimeoutError";
}

function messageOf(error: unknown, waitedMs: number, late: boolean): string {
  if (late) return `no answer within ${waitedMs} ms`;
  return error instanceof Error ? error.message : String(error);
}

function retryAfterOf(error: unknown): number | null {
  return error instanceof EndpointFailure ? error.retryAfterMs : null;
}
