/**
 * The child's side of a supervised host: takes HostRequest messages from the parent over IPC, answers HostResponse.
 * The parent alone rules the child's life: terminal and service-manager signals are left to it, and its death ends the
 * child at once, also while threads are in native code.
 */
import type { HostErrorName, HostRequest, HostResponse } from "./contract.ts";

export interface HostService {
  /**
   * Runs before `ready` is sent; a rejection is reported as `fatal` and ends the child. `init` is the plain data that the
   * parent gave (`null` when it gave none).
   */
  onStart?(init: unknown): Promise<void> | void;
  /**
   * Does one task; several may run at once. `signal` aborts when the parent cancels the task or its deadline passes.
   * What it throws is answered by its name and message: throw TaskError for a name that the parent knows.
   */
  run(task: string, input: unknown, signal: AbortSignal): Promise<unknown>;
  /** Closes what the host holds; runs once when the parent asks the child to stop. */
  onStop?(): Promise<void> | void;
}

/** An error that keeps its name on the way to the parent. */
export class TaskError extends Error {
  override readonly name: HostErrorName;
  constructor(name: HostErrorName, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = name;
  }
}

const MEMORY_REPORT_MS = 1_000;

interface Running {
  readonly abort: AbortController;
  readonly timer: NodeJS.Timeout;
}

/** Serves the parent until it asks to stop or goes away. Call it once, from the child's entry. */
export function serveHost(service: HostService): void {
  if (!process.send) throw new Error("a host runs as a child of the daemon: it needs an IPC channel");
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
  // Not process.exit: that waits for threads in native code, for tens of seconds.
  process.on("disconnect", endNow);
  // The parent may have died while this process was loading its code: then there will be no such event.
  if (!process.connected) endNow();
  const tasks = createTaskLoop(service);
  process.on("message", (message: HostRequest) => {
    switch (message.type) {
      case "run":
        tasks.run(message);
        break;
      case "cancel":
        tasks.cancel(message.id);
        break;
      case "stop":
        void stop(service);
        break;
    }
  });
  void start(service);
}

function endNow(): void {
  process.kill(process.pid, "SIGKILL");
}

async function start(service: HostService): Promise<void> {
  try {
    await service.onStart?.(JSON.parse(process.argv[2] ?? "null"));
    send({ type: "ready", pid: process.pid });
  } catch (error) {
    send({ type: "fatal", message: describe(error).message }, () => process.exit(1));
  }
}

async function stop(service: HostService): Promise<void> {
  try {
    await service.onStop?.();
    process.exit(0);
  } catch (error) {
    process.stderr.write(`closing failed: ${describe(error).message}\n`);
    process.exit(1);
  }
}

function createTaskLoop(service: HostService) {
  const running = new Map<number, Running>();
  let reporter: NodeJS.Timeout | undefined;

  function begin(id: number, deadlineMs: number): Running {
    reporter ??= setInterval(report, MEMORY_REPORT_MS);
    const abort = new AbortController();
    const timer = setTimeout(
      () => abort.abort(new TaskError("TASK_DEADLINE", `not done after ${deadlineMs} ms`)),
      deadlineMs,
    );
    const entry = { abort, timer };
    running.set(id, entry);
    return entry;
  }

  function end(id: number): void {
    clearTimeout(running.get(id)?.timer);
    running.delete(id);
  }

  /** The report after the last task says what an idle host holds; then there are none until the next task. */
  function report(): void {
    send({ type: "memory", rssBytes: process.memoryUsage.rss() });
    if (running.size > 0) return;
    clearInterval(reporter);
    reporter = undefined;
  }

  async function work({ id, task, input, deadlineMs }: HostRequest & { type: "run" }): Promise<void> {
    const { signal } = begin(id, deadlineMs).abort;
    try {
      const output = await service.run(task, input, signal);
      send({ type: "done", id, output });
    } catch (error) {
      send({ type: "error", id, ...describe(signal.aborted ? abortReason(signal, error) : error) });
    } finally {
      end(id);
    }
  }

  return {
    run: (message: HostRequest & { type: "run" }) => void work(message),
    cancel: (id: number) =>
      running.get(id)?.abort.abort(new TaskError("TASK_ABORTED", "the task was cancelled")),
  };
}

/** A task that was aborted answers why it was aborted, whatever its own error looks like. */
function abortReason(signal: AbortSignal, error: unknown): unknown {
  return signal.reason instanceof TaskError ? signal.reason : error;
}

/** Tasks may throw anything, plain objects included. */
function describe(error: unknown): { name: string; message: string } {
  if (!(error instanceof Error)) return { name: "TASK_FAILED", message: plainMessage(error) };
  if (error.name === "AbortError") return { name: "TASK_ABORTED", message: error.message };
  return { name: error.name === "Error" ? "TASK_FAILED" : error.name, message: error.message };
}

function plainMessage(thrown: unknown): string {
  const message = (thrown as { message?: unknown } | null | undefined)?.message;
  return typeof message === "string" ? message : String(thrown);
}

/** An output that structured clone refuses throws here, in the task's own turn, and becomes that task's error. */
function send(message: HostResponse, sent: () => void = () => undefined): void {
  // A closed channel needs no handling: `disconnect` ends this process.
  process.send?.(message, undefined, undefined, sent);
}
