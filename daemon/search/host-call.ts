import type { SearchTaskName, SearchTasks } from "../../workers/search/contract.ts";
import { KnowdError } from "../runtime/errors.ts";
import { HostFailure } from "../runtime/host.ts";
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

function asKnowdError(error: unknown, budget: Budget): unknown {
  if (!(error instanceof HostFailure)) return error;
  const reason = error.message;
  switch (error.kind) {
    case "deadline":
      return new KnowdError("DEADLINE", {}, undefined, error);
    case "cancelled": {
      const late = budget.signal.reason instanceof Error && budget.signal.reason.name === "TimeoutError";
      return new KnowdError(late ? "DEADLINE" : "CANCELLED", {}, undefined, error);
    }
    case "stopped":
      return new KnowdError("STOPPING", {}, undefined, error);
    case "full":
      return new KnowdError("OVERLOADED", {}, undefined, error);
    case "unavailable":
    case "crashed":
      return new KnowdError("HOST_UNAVAILABLE", { reason }, undefined, error);
    case "task":
      return error.taskErrorName === "PATTERN_INVALID"
        ? new KnowdError("PATTERN_INVALID", { reason }, undefined, error)
        : new KnowdError("BASE_UNAVAILABLE", { reason }, undefined, error);
  }
}
