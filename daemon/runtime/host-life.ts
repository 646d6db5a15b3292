import type { HostResponse } from "../../workers/contract.ts";
import { createFlights, type Flights } from "./host-flights.ts";
import { watchMemory, type MemoryWatch } from "./host-memory.ts";
import { openHostProcess, type HostProcess, type HostProcessOptions } from "./host-process.ts";
import type { HostTask } from "./host-task.ts";

export interface LifeOptions extends HostProcessOptions {
  /** Above it the child is replaced when it has nothing in flight, above 1.5 times as much it is killed at once. */
  readonly memoryLimitBytes: number;
  /** How long the child may take to let go of a task that passed its deadline or was cancelled, before it is killed. */
  readonly cancelGraceMs: number;
}

export interface LifeHooks {
  /** A task has been answered. */
  readonly onLanded: () => void;
  /** It grew over the limit in the course of its tasks: it should get no more. */
  readonly onWorn: () => void;
  /** It ended, by itself or killed; `how` is a sentence. Tasks in flight are still there. */
  readonly onEnded: (how: string) => void;
}

/** A child from its spawn to its end, with the tasks that it works on. */
export interface Life {
  readonly process: HostProcess;
  readonly flights: Flights;
  readonly served: () => number;
  readonly worn: () => boolean;
  readonly rssBytes: () => number | null;
  dispatch(task: HostTask): void;
}

const HARD_MEMORY_FACTOR = 1.5;

/** Spawns the child. Throws when the system refuses at once; a later refusal ends `process.ready`. */
export function openLife(options: LifeOptions, hooks: LifeHooks): Life {
  let served = 0;
  let worn = false;
  let memory: MemoryWatch | null = null;
  const hear = (response: HostResponse) => {
    if (response.type === "memory") memory?.report(response.rssBytes);
    else if (response.type === "done" || response.type === "error") flights.answer(response);
  };
  const process = openHostProcess(options, hear);
  const flights = createFlights({
    send: (request) => process.send(request),
    onLanded: hooks.onLanded,
    onStuck: (task, why) => process.kill(`${options.name} was killed: ${stuckSentence(task, why)}`),
    graceMs: options.cancelGraceMs,
  });
  const wear = (rssBytes: number) => {
    // A child that is large before its first task would be replaced for ever.
    if (worn || served === 0) return;
    worn = true;
    options.log.info(
      { host: options.name, rssBytes },
      "the host is to be replaced: it grew over its memory limit",
    );
    hooks.onWorn();
  };
  if (process.pid !== undefined) memory = watch(options, process, process.pid, wear);
  void process.exited.then((how) => {
    memory?.close();
    hooks.onEnded(how);
  });
  return {
    process,
    flights,
    served: () => served,
    worn: () => worn,
    rssBytes: () => memory?.rssBytes() ?? null,
    dispatch(task) {
      served++;
      flights.dispatch(task);
    },
  };
}

function watch(
  { name, memoryLimitBytes }: LifeOptions,
  process: HostProcess,
  pid: number,
  onSoft: (rssBytes: number) => void,
): MemoryWatch {
  return watchMemory({
    pid,
    softBytes: memoryLimitBytes,
    hardBytes: memoryLimitBytes * HARD_MEMORY_FACTOR,
    onSoft,
    onHard: (rssBytes) =>
      process.kill(
        `${name} was killed: it took ${mebibytes(rssBytes)} of memory, its limit is ${mebibytes(memoryLimitBytes)}`,
      ),
  });
}

function stuckSentence(task: HostTask, why: "deadline" | "cancelled"): string {
  return why === "deadline"
    ? `${task.name} passed its deadline of ${task.deadlineMs} ms`
    : `${task.name} was cancelled and did not end`;
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MB`;
}
