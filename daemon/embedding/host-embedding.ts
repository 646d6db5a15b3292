import { setTimeout as delay } from "node:timers/promises";
import type { EmbedOutput } from "../../workers/contract.ts";
import { HostFailure } from "../runtime/host.ts";
import { EmbeddingFailure } from "./provider.ts";

/** A host may fall with somebody else's work. */
const ATTEMPTS = 3;
const RETRY_BASE_MS = 100;

/** Runs a host's task again where its failure says nothing of the texts. Throws what `failureOf` makes of the last one. */
export async function runPatiently<T>(
  run: () => Promise<T>,
  failureOf: (error: HostFailure) => EmbeddingFailure,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await run();
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof HostFailure)) throw error;
      const passes = error.kind === "crashed" || error.kind === "full" || error.kind === "deadline";
      if (!passes || tried >= ATTEMPTS) throw failureOf(error);
      await delay(RETRY_BASE_MS * 2 ** tried, undefined, { signal });
    }
  }
}

/** Nothing is said of the texts or the model: another time may do. */
export function unanswered(error: HostFailure): EmbeddingFailure {
  return new EmbeddingFailure(
    "transient",
    `the worker process gave no vectors: ${error.message}`,
    null,
    error,
  );
}

export function rowsOf({ dimensions, vectors }: EmbedOutput): Float32Array[] {
  return Array.from({ length: vectors.length / dimensions }, (_, row) =>
    vectors.slice(row * dimensions, (row + 1) * dimensions),
  );
}
