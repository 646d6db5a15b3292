import type { JobKind } from "../../rpc/contract/jobs.ts";
import type { ClaimedJob, JobStore, NewJob } from "../storage/catalog/contract.ts";
import { backoffMs, type BackoffSettings } from "./backoff.ts";

/** Lower runs first. Deletes overtake everything, what a person just saved overtakes a first scan. */
export const PRIORITY = { delete: 0, interactive: 10, bulk: 20 } as const;

export interface RetrySettings extends BackoffSettings {
  readonly maxAttempts: number;
}

export interface QueueDeps {
  readonly jobs: JobStore;
  readonly retry: RetrySettings;
  readonly now: () => number;
  readonly random: () => number;
}

/** How a job that gave no result goes on. */
export type RetryDecision = { readonly again: true } | { readonly again: false; readonly attempts: number };

/** Durable work: what is enqueued survives the process; who waits for work is woken when some is due. */
export interface Queue {
  enqueue(jobs: readonly NewJob[]): number;
  claim(query: {
    kind: JobKind;
    limit: number;
    suspects: boolean;
    basesExcluded: readonly string[];
  }): ClaimedJob[];
  finish(ids: readonly number[]): void;
  /** Back into the queue as if it had not been tried: it was not ready yet, or the daemon is stopping. */
  release(job: ClaimedJob, delayMs: number): void;
  /** Tries again after a backoff (or `afterMs`), unless it has had all its attempts: then the caller decides what becomes of it. */
  retry(job: ClaimedJob, error: string, afterMs?: number | null): RetryDecision;
  /** Resolves when a job of this kind is due, something was enqueued, or the signal aborts. */
  waitForWork(kind: JobKind, signal: AbortSignal): Promise<void>;
  /** Something outside the queue changed (a base is free again, a pause ended): look again. */
  wake(): void;
}

/** A due time can lie far ahead; timers are set for at most this long and then look again. */
const MAX_TIMER_MS = 60_000;
/** A job that has been due for a while but can't be claimed waits for something that wakes the queue; this is the safety net. */
const BLOCKED_TIMER_MS = 250;
/** One that became due just now may have been missed by a claim a moment before: it is looked for again at once. */
const JUST_DUE_MS = 20;
const AGAIN_MS = 2;

function timerFor(untilDueMs: number): number {
  if (untilDueMs > 0) return Math.min(untilDueMs, MAX_TIMER_MS);
  return untilDueMs > -JUST_DUE_MS ? AGAIN_MS : BLOCKED_TIMER_MS;
}

export function openQueue(deps: QueueDeps): Queue {
  const { jobs, now } = deps;
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const resolve of waiting) resolve();
    waiting.clear();
  };

  return {
    enqueue(entries) {
      const added = jobs.enqueue(entries);
      wake();
      return added;
    },
    claim: (query) => jobs.claim({ ...query, now: now() }),
    finish(ids) {
      if (ids.length === 0) return;
      jobs.finish(ids);
      wake();
    },
    release(job, delayMs) {
      jobs.retry(job.id, now() + delayMs, null, { attempt: "undo" });
      wake();
    },
    retry(job, error, afterMs = null) {
      if (job.attempts >= deps.retry.maxAttempts) return { again: false, attempts: job.attempts };
      const delayMs = afterMs ?? backoffMs(job.attempts, deps.retry, deps.random());
      jobs.retry(job.id, now() + delayMs, error);
      wake();
      return { again: true };
    },
    waitForWork: (kind, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const due = jobs.nextDue(kind);
        const delayMs = due === null ? MAX_TIMER_MS : timerFor(due - now());
        const settle = (): void => {
          clearTimeout(timer);
          waiting.delete(settle);
          signal.removeEventListener("abort", settle);
          resolve();
        };
        const timer = setTimeout(settle, delayMs);
        signal.addEventListener("abort", settle, { once: true });
        waiting.add(settle);
      }),
    wake,
  };
}
