/** Why a task gave no output. `crashed` and `deadline` leave it open which of the tasks in flight is to blame. */
export type HostFailureKind = "crashed" | "deadline" | "task" | "cancelled" | "stopped" | "full";

export class HostFailure extends Error {
  override readonly name = "HostFailure";
  readonly kind: HostFailureKind;
  /** The name of the error that the task itself threw, for kind `task`. */
  readonly taskErrorName: string | null;
  constructor(kind: HostFailureKind, message: string, taskErrorName: string | null = null) {
    super(message);
    this.kind = kind;
    this.taskErrorName = taskErrorName;
  }
}

export type TaskMap = Record<string, { input: unknown; output: unknown }>;

export type HostState = "stopped" | "starting" | "ready" | "failed";

export interface RunOptions {
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Host<Tasks extends { [K in keyof Tasks]: { input: unknown; output: unknown } }> {
  /** Resolves when the child can take tasks; rejects with a clear message when it never will. */
  start(): Promise<void>;
  /** Starts the child when it has exited idle. Rejects with HostFailure. */
  run<T extends keyof Tasks & string>(
    task: T,
    input: Tasks[T]["input"],
    options: RunOptions,
  ): Promise<Tasks[T]["output"]>;
  stats(): {
    state: HostState;
    pid: number | null;
    restarts: number;
    rssBytes: number | null;
    inFlight: number;
  };
  /** Ends the child: asks first, kills after graceMs. Tasks in flight reject with `stopped`. */
  stop(graceMs?: number): Promise<void>;
}
