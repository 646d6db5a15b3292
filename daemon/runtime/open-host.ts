import type { HostProcessOptions } from "./host-process.ts";
import { HostSupervisor } from "./host-supervisor.ts";
import type { Host } from "./host.ts";

export interface HostOptions extends Omit<HostProcessOptions, "startDeadlineMs"> {
  /** Above it the child is replaced when it has nothing in flight, above 1.5 times as much it is killed at once. */
  readonly memoryLimitBytes: number;
  /** The child ends, and its memory goes back, after this long without a task; null keeps it. */
  readonly idleExitMs: number | null;
  /** Tasks that the child works on at once. For a pool: its threads, so that nothing waits while its deadline runs. */
  readonly maxInFlight: number;
  /** Tasks that wait beyond those; the next is refused with `full`. */
  readonly maxQueued: number;
  /** The pause after a failed start, doubled with each that follows. */
  readonly restartBackoff?: { readonly firstMs: number; readonly maxMs: number };
  readonly startDeadlineMs?: number;
  /** How long the child may take to let go of a task that passed its deadline or was cancelled, before it is killed. */
  readonly cancelGraceMs?: number;
}

const DEFAULT_BACKOFF = { firstMs: 250, maxMs: 30_000 };
const DEFAULT_START_DEADLINE_MS = 15_000;
const DEFAULT_CANCEL_GRACE_MS = 1_000;
const DEFAULT_STOP_GRACE_MS = 2_000;

/** A supervised child process that takes tasks. Nothing is spawned before the first `start` or `run`. */
export function openHost<Tasks extends { [K in keyof Tasks]: { input: unknown; output: unknown } }>(
  options: HostOptions,
): Host<Tasks> {
  const supervisor = new HostSupervisor({
    restartBackoff: DEFAULT_BACKOFF,
    startDeadlineMs: DEFAULT_START_DEADLINE_MS,
    cancelGraceMs: DEFAULT_CANCEL_GRACE_MS,
    ...options,
  });
  return {
    start: () => supervisor.start(),
    run: (name, input, runOptions) => supervisor.run(name, input, runOptions),
    stats: () => supervisor.stats(),
    stop: (graceMs = DEFAULT_STOP_GRACE_MS) => supervisor.stop(graceMs),
  };
}
