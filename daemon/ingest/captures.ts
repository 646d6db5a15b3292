import type { CaptureInput, CaptureOutcome, FetchRules } from "../../workers/fetch/contract.ts";
import type { WorkerTasks } from "../../workers/contract.ts";
import { type Host, HostFailure } from "../runtime/host.ts";

/** Fetches URLs in a worker host. Nothing of what they give is looked at here. */
export interface Captures {
  /** By the settings; `false` and `true` say otherwise for one call. */
  readonly allowsPrivate: (wish: boolean | undefined) => boolean;
  /** Rejects with the signal's reason alone: all else that goes wrong is an outcome. */
  capture(
    input: Omit<CaptureInput, "rules"> & { readonly allowPrivate: boolean },
    signal: AbortSignal,
  ): Promise<CaptureOutcome>;
}

export interface CapturesDeps {
  readonly host: Host<WorkerTasks>;
  readonly allowPrivate: boolean;
  readonly timeoutMs: number;
  readonly rules: (allowPrivate: boolean) => Promise<FetchRules>;
}

/** What parsing and writing a page may take, beside its fetching. */
const PARSING_MS = 60_000;

export function openCaptures({ host, allowPrivate: byDefault, timeoutMs, rules }: CapturesDeps): Captures {
  return {
    allowsPrivate: (wish) => wish ?? byDefault,
    async capture({ allowPrivate, ...input }, signal) {
      const known = await rules(allowPrivate).catch((error: Error) => error);
      // What the configuration names is not there.
      if (known instanceof Error) return { kind: "failed", reason: known.message };
      try {
        const task = { ...input, rules: known };
        return await host.run("url.capture", task, { deadlineMs: timeoutMs + PARSING_MS, signal });
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof HostFailure) return { kind: "failed", reason: reasonOf(error) };
        throw error;
      }
    },
  };
}

function reasonOf({ kind, message }: HostFailure): string {
  if (kind === "deadline") return "the page could not be read in time";
  if (kind === "crashed") return "the page could not be read: reading it ended the process that reads";
  return message;
}
