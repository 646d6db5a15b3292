/**
 * Why a task gave no output. `crashed` and `deadline` leave it open which of the tasks in flight is to blame.
 * `full`, `stopped` and `unavailable` say that the task was never begun or may be begun again: nobody is to blame.
 */
export type HostFailureKind =
  | "crashed"
  | "deadline"
  | "task"
  | "cancelled"
  | "stopped"
  | "full"
  /** The child can't be started; tried again on demand, after a pause. */
  | "unavailable";

export class HostFailure extends Error {
  override readonly name = "HostFailure";
  readonly kind: HostFailureKind;
  /** The name of the error that the child answered with, for kind `task` and for a crash of one thread. */
  readonly taskErrorName: string | null;
  constructor(kind: HostFailureKind, message: string, taskErrorName: string | null = null) {
    super(message);
    this.kind = kind;
    this.taskErrorName = taskErrorName;
  }
}

/** stopped ⇄ starting → ready → stopped (idle, recycled, crashed); starting → failed → starting on demand. */
export type HostState = "stopped" | "starting" | "ready" | "failed";

export interface RunOptions {
  /** Counted from the moment the task is handed to the child, not from the call. */
  readonly deadlineMs: number;
  /** Rejects with `cancelled` at once; the child is told, and is killed when it does not give up soon. */
  readonly signal?: AbortSignal | undefined;
  /** Runs in a child that has done nothing before, with nothing beside it: what crashes then is to blame. */
  readonly alone?: boolean | undefined;
}

export interface HostStats {
  readonly state: HostState;
  readonly pid: number | null;
  /** Children that ended without being asked to, failed starts included. */
  readonly restarts: number;
  readonly rssBytes: number | null;
  readonly inFlight: number;
  readonly queued: number;
  /** Why the last start failed, while the state is `failed`. */
  readonly reason: string | null;
}

export interface Host<Tasks extends { [K in keyof Tasks]: { input: unknown; output: unknown } }> {
  /** Resolves when the child can take tasks; rejects with HostFailure and a clear message when it never will. */
  start(): Promise<void>;
  /** Starts the child when it has exited idle. Rejects with HostFailure. */
  run<T extends keyof Tasks & string>(
    task: T,
    input: Tasks[T]["input"],
    options: RunOptions,
  ): Promise<Tasks[T]["output"]>;
  stats(): HostStats;
  /** Ends the child for good: asks first, kills after graceMs. Tasks in flight or waiting reject with `stopped`. */
  stop(graceMs?: number): Promise<void>;
}
