import { setTimeout as delay } from "node:timers/promises";
import { EndpointFailure, isTooLarge } from "../endpoint/failures.ts";
import { planBatches, type BatchBounds } from "./batches.ts";
import type { Piece } from "./cached-model.ts";
import type { Limiter } from "../endpoint/limiter.ts";

/** What one call needs of its endpoint. */
export interface CallDeps {
  readonly url: string;
  readonly limiter: Limiter;
  readonly request: (texts: readonly string[], signal: AbortSignal) => Promise<Float32Array[]>;
  /** Takes each batch's vectors as they arrive. */
  readonly keep: (pieces: readonly Piece[], vectors: readonly Float32Array[]) => Promise<void>;
  /** This many texts were refused for their number, and passed as two halves. */
  readonly tooMany: (texts: number) => void;
  /** The wait before a request is sent again; doubles with each further one. */
  readonly retryBaseMs: number;
}

export interface Call {
  readonly purpose: "document" | "query";
  /** Ends the call at once: the caller's signal, or the daemon's end. */
  readonly stop: AbortSignal;
  /** Begins nothing more, but lets what was sent be answered: it is paid for, and is kept. */
  readonly halt: AbortController;
}

/** A chunk may wait a while inside the call; while a query does, somebody looks at the screen. */
const PATIENCE = {
  document: { attempts: 4, maxWaitMs: 20_000 },
  query: { attempts: 2, maxWaitMs: 1_000 },
} as const;

/** Sends the pieces in batches. Throws when any of them got no vector; all that did have been given to `keep` by then. */
export async function sendPieces(
  deps: CallDeps,
  pieces: readonly Piece[],
  bounds: BatchBounds,
  call: Call,
): Promise<void> {
  try {
    await settleAll(planBatches(pieces, bounds), (batch) => sendBatch(deps, batch, call));
  } catch (error) {
    // What made the others stop says more than that they were stopped.
    call.halt.signal.throwIfAborted();
    throw error;
  }
}

/** Runs `fn` with a call that ends with any of `signals`; no listener stays behind. */
export async function withCall<T>(
  purpose: Call["purpose"],
  signals: readonly AbortSignal[],
  fn: (call: Call) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const halt = new AbortController();
  const end = (event: Event): void => {
    const { reason } = event.target as AbortSignal;
    stop.abort(reason);
    halt.abort(reason);
  };
  for (const signal of signals) signal.throwIfAborted();
  for (const signal of signals) signal.addEventListener("abort", end, { once: true });
  try {
    return await fn({ purpose, stop: stop.signal, halt });
  } finally {
    for (const signal of signals) signal.removeEventListener("abort", end);
  }
}

/** Resolves with whether the batch passed in one piece. */
async function sendBatch(deps: CallDeps, batch: readonly Piece[], call: Call): Promise<boolean> {
  try {
    const texts = batch.map((piece) => piece.text);
    await deps.keep(batch, await sendPatiently(deps, texts, call));
    return true;
  } catch (error) {
    if (!isTooLarge(error)) call.halt.abort(error);
    if (!isTooLarge(error) || batch.length === 1) throw withLength(error, batch);
  }
  const middle = Math.ceil(batch.length / 2);
  const halves = [batch.slice(0, middle), batch.slice(middle)];
  const passed = await settleAll(halves, (half) => sendBatch(deps, half, call));
  if (passed.every(Boolean)) deps.tooMany(batch.length);
  return false;
}

async function sendPatiently(deps: CallDeps, texts: readonly string[], call: Call): Promise<Float32Array[]> {
  const { limiter } = deps;
  const { attempts, maxWaitMs } = PATIENCE[call.purpose];
  const { signal } = call.halt;
  for (let tried = 1; ; tried++) {
    const pausedMs = limiter.pausedMs();
    if (pausedMs > maxWaitMs)
      throw new EndpointFailure("throttled", "transient", `${deps.url} asked for a pause`, pausedMs);
    const backoffMs = deps.retryBaseMs * 2 ** (tried - 1);
    try {
      const send = (): Promise<Float32Array[]> => sendOnce(deps, texts, call, backoffMs);
      return await limiter.run(send, { signal, urgent: call.purpose === "query" });
    } catch (error) {
      if (!(error instanceof EndpointFailure) || error.kind === "permanent") throw error;
      const waitMs = error.retryAfterMs ?? backoffMs * (1 + Math.random());
      if (tried >= attempts || waitMs > maxWaitMs) throw error;
      await delay(waitMs, undefined, { signal });
    }
  }
}

/** What a failure means for others is said before its place in the limiter is given to one of them. */
async function sendOnce(
  { limiter, request }: CallDeps,
  texts: readonly string[],
  call: Call,
  backoffMs: number,
): Promise<Float32Array[]> {
  try {
    return await request(texts, call.stop);
  } catch (error) {
    const passes = error instanceof EndpointFailure && error.kind === "transient";
    if (!passes && !isTooLarge(error)) call.halt.abort(error);
    if (error instanceof EndpointFailure && error.reason === "throttled") {
      limiter.slowDown(error.retryAfterMs ?? backoffMs);
    }
    throw error;
  }
}

/** Every promise is settled before the first failure is thrown. */
async function settleAll<T, R>(items: readonly T[], fn: (item: T) => Promise<R>): Promise<R[]> {
  const settled = await Promise.allSettled(items.map(fn));
  return settled.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
}

function withLength(error: unknown, batch: readonly Piece[]): unknown {
  if (!isTooLarge(error)) return error;
  const message = `${error.message}; the text has ${batch[0]?.text.length} characters: make the base's chunks smaller`;
  return new EndpointFailure("too_large", "permanent", message, null, error);
}
