import { parentPort } from "node:worker_threads";
import { runMaintenanceTask, type MaintenanceTask } from "./maintenance-tasks.ts";

export interface MaintenanceReply {
  readonly id: number;
  readonly problems?: string[];
  readonly error?: string;
}

parentPort?.on("message", ({ id, task }: { id: number; task: MaintenanceTask }) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin
  parentPort?.postMessage(reply(id, task));
});

function reply(id: number, task: MaintenanceTask): MaintenanceReply {
  try {
    return { id, problems: runMaintenanceTask(task) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}
