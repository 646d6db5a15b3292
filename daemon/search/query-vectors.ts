import type { Circuit } from "../endpoint/circuit.ts";
import { createCircuit } from "../endpoint/circuit.ts";
import { EmbeddingFailure, type EmbeddingModel } from "../embedding/provider.ts";
import { createSharedCalls } from "./shared-calls.ts";

/** Vectors of queries, kept over many searches. */
export interface QueryVectors {
  /**
   * The query's vector by the model: from memory, or from the model itself, which is asked once for all who wait for the
   * same. A model that failed is not asked again for a while. Rejects with an Error that says why there is none.
   */
  vectorOf(wanted: WantedVector, signal: AbortSignal): Promise<Float32Array>;
}

export interface WantedVector {
  readonly model: EmbeddingModel;
  readonly fingerprint: string;
  /** Of the base's vectors; one of another length is answered, but not kept. */
  readonly dimensions: number | null;
  readonly text: string;
  readonly purpose: "query" | "document";
}

/** Some 2,700 vectors of 768 numbers, or 700 of 3,072. */
const MAX_BYTES = 8 * 1024 * 1024;
/** What is longer is hardly asked twice, and its key would outweigh its vector. */
const MAX_CHARACTERS = 1000;
/** A model that was given less time than this is not to blame for having given no answer. */
const FAIR_TIME_MS = 1_000;

export function createQueryVectors(now: () => number = () => performance.now()): QueryVectors {
  const kept = createKept();
  const calls = createSharedCalls<Float32Array>();
  const circuits = new Map<string, Circuit>();

  async function ask({ model, text, purpose }: WantedVector, signal: AbortSignal): Promise<Float32Array> {
    const circuit = circuits.get(model.id) ?? createCircuit(now);
    circuits.set(model.id, circuit);
    const refusal = circuit.refusal();
    if (refusal !== null) throw new Error(refusal);
    const started = now();
    try {
      const [vector] = await model.embed([text], purpose, signal);
      circuit.worked();
      if (!vector) throw new Error("it answered no vector");
      return vector;
    } catch (error) {
      const waitedMs = Math.round(now() - started);
      // What is refused for good may be refused for this query alone.
      const isTrouble = error instanceof EmbeddingFailure && error.kind === "transient";
      if (signal.aborted && waitedMs >= FAIR_TIME_MS) circuit.failed(`no answer within ${waitedMs} ms`, null);
      else if (isTrouble && !signal.aborted) circuit.failed(error.message, error.retryAfterMs);
      else circuit.left();
      throw error;
    }
  }

  return {
    async vectorOf(wanted, signal) {
      const { fingerprint, dimensions, text, purpose } = wanted;
      const key = [fingerprint, dimensions, purpose, text].join("\0");
      const known = kept.get(key);
      if (known) return known;
      const vector = await calls.join(key, signal, (stop) => ask(wanted, stop));
      if (text.length <= MAX_CHARACTERS && vector.length === dimensions) kept.set(key, vector);
      return vector;
    },
  };
}

/** Drops what was not used for the longest when it has grown over its bound. */
function createKept() {
  // A Map keeps the order of insertion.
  const vectors = new Map<string, Float32Array>();
  let bytes = 0;
  const remove = (key: string): Float32Array | undefined => {
    const vector = vectors.get(key);
    if (vector && vectors.delete(key)) bytes -= sizeOf(key, vector);
    return vector;
  };
  const set = (key: string, vector: Float32Array): void => {
    remove(key);
    vectors.set(key, vector);
    bytes += sizeOf(key, vector);
    for (const oldest of vectors.keys()) {
      if (bytes <= MAX_BYTES) return;
      remove(oldest);
    }
  };
  return {
    set,
    get(key: string): Float32Array | undefined {
      const vector = remove(key);
      if (vector) set(key, vector);
      return vector;
    },
  };
}

function sizeOf(key: string, vector: Float32Array): number {
  return vector.byteLength + 2 * key.length;
}
