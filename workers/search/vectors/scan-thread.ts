import { Worker } from "node:worker_threads";

/** Vectors in shared memory, and how many of the nearest are wanted of the query that stands beside them. */
export interface ScanJob {
  readonly memory: WebAssembly.Memory;
  readonly dimensions: number;
  readonly capacity: number;
  readonly count: number;
  /** One by the query's length. */
  readonly scale: number;
  readonly k: number;
}

export interface Neighbour {
  readonly number: number;
  readonly cosine: number;
}

/** What the thread was asked to do. */
export interface Scan {
  /**
   * Blocks until it is done; null where the thread could not do it. Throws when it does not answer: then what it was given
   * may still be written to, and is of no use any more.
   */
  wait(): Neighbour[] | null;
}

/** A thread that looks for the nearest vectors while the one that asks does something else. It is started when it is needed. */
export interface ScanThread {
  /** Null for few vectors, for more neighbours than it has room to answer, and while the thread is being started. */
  begin(job: ScanJob): Scan | null;
  /** Ends the thread, which lets go of the memory that it was given. It is started anew when it is asked again. */
  release(): void;
}

export interface ScanThreadData {
  readonly control: Int32Array;
  readonly results: Float64Array;
}

/** What the thread is told: the memory's id stays when it grows. */
export interface ScanMessage extends ScanJob {
  readonly id: number;
  readonly memoryId: number;
}

/** Places in `control`: the thread answers; jobs given to it; of each slot the job that it has the results of. */
export const READY = 0;
export const BELL = 1;
export const DONE = 2;
/** Answers that are kept at a time: one search asks for two. */
export const SLOTS = 4;
/** Neighbours that a slot has room for. */
const MOST = 2048;
/** Numbers of a slot: how many neighbours, -1 for none to be had; then of each its number and cosine. */
export const SLOT_NUMBERS = 1 + 2 * MOST;
/**
 * From so many vectors on the thread is worth its 20 MB: of 1,000,000 a search takes a sixth less with it, of 100,000 as long
 * as without.
 */
const LEAST_VECTORS = 300_000;
/** Far longer than it takes to scan what fits the memory. */
const PATIENCE_MS = 5_000;
/** It works in shared memory: beside it, it needs next to nothing. */
const LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 };

/** `entry` is the built scan-worker.js; null where there is none: then each search does all by itself. */
export function createScanThread(
  entry: URL | null = builtEntry(),
  { leastVectors = LEAST_VECTORS, patienceMs = PATIENCE_MS } = {},
): ScanThread {
  const memoryIds = new WeakMap<WebAssembly.Memory, number>();
  let running: { readonly worker: Worker; readonly data: ScanThreadData } | null = null;
  let lastId = 0;
  let lastMemoryId = 0;

  function start(url: URL): void {
    const data = {
      control: new Int32Array(new SharedArrayBuffer(4 * (DONE + SLOTS))),
      results: new Float64Array(new SharedArrayBuffer(8 * SLOTS * SLOT_NUMBERS)),
    };
    const worker = new Worker(url, { workerData: data, resourceLimits: LIMITS, execArgv: [] });
    running = { worker, data };
    worker.unref();
    const gone = (): void => {
      if (running?.worker === worker) running = null;
    };
    // Searches do without it, and the next one starts another.
    worker.on("error", gone);
    worker.on("exit", gone);
  }

  function release(): void {
    void running?.worker.terminate();
    running = null;
  }

  return {
    begin(job) {
      if (entry === null || job.count < leastVectors || job.k > MOST) return null;
      if (running === null) start(entry);
      const { worker, data } = running!;
      const { control } = data;
      if (Atomics.load(control, READY) === 0) return null;
      const id = ++lastId;
      const memoryId = memoryIds.get(job.memory) ?? ++lastMemoryId;
      memoryIds.set(job.memory, memoryId);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin
      worker.postMessage({ ...job, id, memoryId } satisfies ScanMessage);
      Atomics.add(control, BELL, 1);
      Atomics.notify(control, BELL);
      return {
        wait() {
          if (isDone(control, id, patienceMs)) return resultOf(data, id);
          release();
          throw new Error(`the thread that scans vectors gave no answer for ${patienceMs} ms`);
        },
      };
    },
    release,
  };
}

function isDone(control: Int32Array, id: number, patienceMs: number): boolean {
  const place = DONE + (id % SLOTS);
  const until = performance.now() + patienceMs;
  for (;;) {
    const done = Atomics.load(control, place);
    if (done >= id) return true;
    const left = until - performance.now();
    if (left <= 0) return false;
    Atomics.wait(control, place, done, left);
  }
}

/** Null where a later job has taken the slot. */
function resultOf({ control, results }: ScanThreadData, id: number): Neighbour[] | null {
  if (Atomics.load(control, DONE + (id % SLOTS)) !== id) return null;
  const from = (id % SLOTS) * SLOT_NUMBERS;
  const count = results[from]!;
  if (count < 0) return null;
  return Array.from({ length: count }, (_, at) => ({
    number: results[from + 1 + 2 * at]!,
    cosine: results[from + 2 + 2 * at]!,
  }));
}

function builtEntry(): URL | null {
  return import.meta.url.endsWith(".js") ? new URL("./scan-worker.js", import.meta.url) : null;
}
