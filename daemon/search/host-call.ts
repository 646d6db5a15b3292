import type { ErrorName } from "../../rpc/contract/errors.ts";
import type { SearchTaskName, SearchTasks } from "../../workers/search/contract.ts";
import { KnowdError, toKnowdError } from "../runtime/errors.ts";
import { HostFailure, type HostFailureKind } from "../runtime/host.ts";
import type { SearchDeps } from "./search-deps.ts";

/** How long a call may still take, and whether anybody still waits for it. */
export interface Budget {
  readonly signal: AbortSignal;
  leftMs(): number;
}

/** Time starts now. The signal aborts with the caller's own or, with a TimeoutError, at the deadline. */
export function createBudget(deadlineMs: number, signal: AbortSignal): Budget {
  const until = performance.now() + deadlineMs;
  return {
    signal: AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]),
    leftMs: () => Math.max(1, Math.ceil(until - performance.now())),
  };
}

/**
 * Asks the search host. A task that was in flight when the host died of another one is asked once more: it only reads.
 * Throws KnowdError.
 */
export async function askHost<T extends SearchTaskName>(
  host: SearchDeps["host"],
  task: T,
  input: SearchTasks[T]["input"],
  budget: Budget,
): Promise<SearchTasks[T]["output"]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await host.run(task, input, { deadlineMs: budget.leftMs(), signal: budget.signal });
    } catch (error) {
      const crashed = error instanceof HostFailure && error.kind === "crashed";
      if (!crashed || attempt === 2 || budget.signal.aborted) throw asKnowdError(error, budget);
    }
  }
}

const errorNames: Readonly<Record<HostFailureKind, ErrorName>> = {
  deadline: "DEADLINE",
  cancelled: "CANCELLED",
  stopped: "STOPPING",
  full: "OVERLOADED",
  unavailable: "HOST_UNAVAILABLE",
  crashed: "HOST_UNAVAILABLE",
  task: "BASE_UNAVAILABLE",
};

function asKnowdError(error: unknown, budget: Budget): KnowdError {
  if (!(error instanceof HostFailure)) return toKnowdError(error);
  const { reason } = budget.signal as { reason: unknown };
  const late = error.kind === "cancelled" && reason instanceof Error && reason.name === "TimeoutError";
  const invalid = error.kind === "task" && error.taskErrorName === "PATTERN_INVALID";
  const name = late ? "DEADLINE" : invalid ? "PATTERN_INVALID" : errorNames[error.kind];
  return new KnowdError(name, { reason: error.message }, undefined, error);
}
