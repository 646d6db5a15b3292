import { fileURLToPath } from "node:url";
import { Piscina } from "piscina";
import { TaskError } from "./host-loop.ts";

/** How the thread entry answers. What the pool itself rejects with is then never a task's own error. */
export type ThreadAnswer =
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly name: string; readonly message: string };

export interface ThreadTask {
  readonly task: string;
  readonly input: unknown;
}

export interface PoolOptions {
  /** The built thread entry: its default export takes a ThreadTask and answers a ThreadAnswer. */
  readonly entryUrl: URL;
  readonly threads: number;
  /** Threads beyond the first end after this long without a task. */
  readonly idleThreadMs: number;
  /** An ended thread may go on in native code; after this long it counts as stuck, and the process ends itself. */
  readonly terminationMs?: number;
}

export interface Pool {
  /** One task a thread. An abort ends the thread that runs it; a thread that dies rejects with THREAD_CRASHED. */
  run(task: string, input: unknown, signal: AbortSignal): Promise<unknown>;
  close(): Promise<void>;
}

const DEFAULT_TERMINATION_MS = 5_000;

type ThreadPool = Piscina<ThreadTask, ThreadAnswer>;

/** Opens the pool and proves by a ping that its threads load; rejects with the reason when they don't. */
export async function openPool(options: PoolOptions): Promise<Pool> {
  const piscina: ThreadPool = new Piscina({
    filename: fileURLToPath(options.entryUrl),
    minThreads: 1,
    maxThreads: options.threads,
    idleTimeout: options.idleThreadMs,
    concurrentTasksPerWorker: 1,
    // Threads that sleep in Atomics.wait hold back what a task left behind, so that it blows up in the next task.
    atomics: "disabled",
    execArgv: [],
  });
  const loadFailure = new Promise<never>((_resolve, reject) => piscina.on("error", reject));
  const pool = wrap(piscina, options.terminationMs ?? DEFAULT_TERMINATION_MS);
  await Promise.race([pool.run("ping", {}, new AbortController().signal), loadFailure]);
  // Without a listener, a thread that dies between two tasks would end the process.
  piscina.on("error", (error: unknown) => {
    process.stderr.write(`Error: a thread ended between two tasks: ${messageOf(error)}\n`);
    // Threads that can't start any more are not tried again by the pool, and its tasks would wait for ever.
    if (piscina.threads.length === 0) process.exit(1);
  });
  return pool;
}

function wrap(piscina: ThreadPool, terminationMs: number): Pool {
  return {
    async run(task, input, signal) {
      const watch = () => endWhenStuck(piscina, terminationMs);
      // Before the pool's own listener, which takes the thread off the list.
      signal.addEventListener("abort", watch, { once: true });
      try {
        const answer = await piscina.run({ task, input }, { signal });
        if (answer.ok) return answer.output;
        throw namedError(answer.name, answer.message);
      } catch (error) {
        if (error instanceof TaskError) throw error;
        if (signal.aborted) throw signal.reason;
        throw new TaskError("THREAD_CRASHED", `${task} ended its thread: ${messageOf(error)}`, error);
      } finally {
        signal.removeEventListener("abort", watch);
      }
    },
    close: () => piscina.destroy(),
  };
}

/** A thread in native code can't be ended by itself; ending the process frees its core, and the parent starts a new one. */
function endWhenStuck(piscina: ThreadPool, terminationMs: number): void {
  const before = piscina.threads;
  setTimeout(() => {
    const inUse = new Set(piscina.threads);
    // An ended thread has the id −1.
    if (!before.some((thread) => !inUse.has(thread) && thread.threadId !== -1)) return;
    process.stderr.write("Error: an aborted thread is stuck in native code\n", () =>
      process.kill(process.pid, "SIGKILL"),
    );
  }, terminationMs).unref();
}

function namedError(name: string, message: string): Error {
  const error = new TaskError("TASK_FAILED", message);
  return name === "Error" ? error : Object.assign(error, { name });
}

/** An answer that can't be cloned ends its thread with a plain empty object, and threads may throw anything. */
function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : "it answered or threw something that can't be sent";
}
