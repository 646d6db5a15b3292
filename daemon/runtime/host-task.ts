import { HostFailure, type RunOptions } from "./host.ts";

/** One call of `run`, from the queue to its answer. */
export interface HostTask {
  readonly name: string;
  readonly input: unknown;
  readonly deadlineMs: number;
  readonly alone: boolean;
  /** True once the caller has its answer; the child may still be at work on it. */
  readonly settled: () => boolean;
  resolve(output: unknown): void;
  reject(failure: HostFailure): void;
  /** What else there is to do when the caller cancels: set by whoever holds the task at that moment. */
  onCancel: () => void;
}

/** The task and the promise of its output. Only the first of resolve, reject and the caller's abort counts. */
export function createHostTask(
  name: string,
  input: unknown,
  { deadlineMs, signal, alone = false }: RunOptions,
): { task: HostTask; promise: Promise<unknown> } {
  const { promise, resolve, reject } = deferred();
  let settled = false;
  const once = (settle: () => void) => {
    if (settled) return;
    settled = true;
    signal?.removeEventListener("abort", cancel);
    settle();
  };
  const task: HostTask = {
    name,
    input,
    deadlineMs,
    alone,
    settled: () => settled,
    resolve: (output) => once(() => resolve(output)),
    reject: (failure) => once(() => reject(failure)),
    onCancel: () => undefined,
  };
  const cancel = () => {
    task.reject(new HostFailure("cancelled", `${name} was cancelled`));
    task.onCancel();
  };
  if (signal?.aborted) cancel();
  else signal?.addEventListener("abort", cancel, { once: true });
  return { task, promise };
}

function deferred() {
  let resolve: (output: unknown) => void = () => undefined;
  let reject: (failure: HostFailure) => void = () => undefined;
  const promise = new Promise<unknown>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
