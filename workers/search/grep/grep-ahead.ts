import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { GrepPlace, SearchTasks } from "../contract.ts";

type Input = SearchTasks["index.grep"]["input"];
type Output = SearchTasks["index.grep"]["output"];

/**
 * Looks on for a stream while its last batch is on its way: half of the time the host would else wait to be asked. One batch
 * of a stream is held at most, and only for a while, since its reader may be slow.
 */
export interface GrepAhead {
  /** Rejects as a look does. */
  run(input: Input, signal: AbortSignal): Promise<Output>;
  /** Nobody looks on in this base. */
  drop(baseId: string): void;
  clear(): void;
}

interface Held {
  readonly baseId: string;
  readonly from: GrepPlace;
  readonly abort: AbortController;
  /** Null when it came to nothing. */
  readonly batch: Promise<Output | null>;
  readonly timer: NodeJS.Timeout;
}

/** As many as tasks may be in flight. */
const MAX_STREAMS = 4;
/** Who asks later has it looked for anew. */
const HELD_MS = 1000;

export function createGrepAhead(look: (input: Input, signal: AbortSignal) => Promise<Output>): GrepAhead {
  const streams = new Map<string, Held>();

  function drop(stream: string): Held | undefined {
    const held = streams.get(stream);
    clearTimeout(held?.timer);
    streams.delete(stream);
    return held;
  }

  function begin(stream: string, from: GrepPlace, input: Input): void {
    if (streams.size >= MAX_STREAMS) return;
    const abort = new AbortController();
    const end = (): void => drop(stream)?.abort.abort();
    streams.set(stream, {
      baseId: input.baseId,
      from,
      abort,
      // What went wrong is told to whoever asks, who looks for it then.
      batch: later({ ...input, from }, abort.signal).catch(() => null),
      timer: setTimeout(end, HELD_MS).unref(),
    });
  }

  /** First the batch before it is sent. */
  async function later(input: Input, signal: AbortSignal): Promise<Output> {
    await setImmediate();
    signal.throwIfAborted();
    return look(input, signal);
  }

  async function take(stream: string, { from }: Input, signal: AbortSignal): Promise<Output | null> {
    const held = drop(stream);
    if (held === undefined) return null;
    const giveUp = (): void => held.abort.abort();
    if (!isDeepStrictEqual(held.from, from)) {
      giveUp();
      return null;
    }
    signal.addEventListener("abort", giveUp);
    try {
      return await held.batch;
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }

  return {
    async run(input, signal) {
      const { stream } = input;
      if (stream === null) return look(input, signal);
      const held = await take(stream, input, signal);
      signal.throwIfAborted();
      const output = held ?? (await look(input, signal));
      if (output.next !== null) begin(stream, output.next, input);
      return output;
    },
    drop(baseId) {
      for (const [stream, held] of streams) if (held.baseId === baseId) drop(stream)?.abort.abort();
    },
    clear() {
      for (const stream of streams.keys()) drop(stream)?.abort.abort();
    },
  };
}
