import { Worker } from "node:worker_threads";
import type { MaintenanceReply } from "./maintenance-thread.ts";
import { runMaintenanceTask, type MaintenanceTask } from "./maintenance-tasks.ts";

/** Runs maintenance tasks one after the other in one small thread, which starts with the first of them. */
export interface Maintenance {
  run(task: MaintenanceTask): Promise<string[]>;
  close(): Promise<void>;
}

interface Waiting {
  readonly resolve: (problems: string[]) => void;
  readonly reject: (error: Error) => void;
}

/** A thread's entry is built JavaScript. Where there is none (run from source), tasks run in line and hold the loop. */
export function createMaintenance(entry: URL | null = builtEntry()): Maintenance {
  const waiting = new Map<number, Waiting>();
  let thread: Worker | null = null;
  let lastId = 0;

  const lost = (from: Worker, error: Error): void => {
    if (thread === from) thread = null;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };

  const start = (url: URL): Worker => {
    const started = new Worker(url, { execArgv: [] });
    started.on("message", ({ id, problems, error }: MaintenanceReply) => {
      const caller = waiting.get(id);
      waiting.delete(id);
      if (error === undefined) caller?.resolve(problems ?? []);
      else caller?.reject(new Error(error));
      if (waiting.size === 0) started.unref();
    });
    started.on("error", (error) => lost(started, error instanceof Error ? error : new Error(String(error))));
    started.on("exit", () => lost(started, new Error("the maintenance thread has ended")));
    return started;
  };

  return {
    async run(task) {
      if (!entry) return runMaintenanceTask(task);
      const running = (thread ??= start(entry));
      const id = ++lastId;
      return await new Promise<string[]>((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        running.ref();
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin
        running.postMessage({ id, task });
      });
    },
    async close() {
      await thread?.terminate();
    },
  };
}

function builtEntry(): URL | null {
  return import.meta.url.endsWith(".js") ? new URL("./maintenance-thread.js", import.meta.url) : null;
}
