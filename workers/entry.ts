/** The only entry of the worker host's threads. What a task needs is loaded when the first such task comes. */
import type { WorkerTaskName, WorkerTasks } from "./contract.ts";
import type { ThreadAnswer, ThreadTask } from "./pool.ts";

type Handlers = {
  readonly [T in WorkerTaskName]: (
    input: WorkerTasks[T]["input"],
  ) => WorkerTasks[T]["output"] | Promise<WorkerTasks[T]["output"]>;
};

const handlers: Handlers = {
  "files.read": async (input) => {
    const { readFiles } = await import("./read-files.ts");
    return await readFiles(input);
  },
  "files.readSlice": async (input) => {
    const { readSlice } = await import("./read-slice.ts");
    return await readSlice(input);
  },
  "url.capture": async (input) => {
    const { capture } = await import("./fetch/capture.ts");
    return await capture(input);
  },
  "texts.embed": async (input) => {
    const { embedTexts } = await import("./embed/static-model.ts");
    return embedTexts(input);
  },
  "latent.fit": async (input) => {
    const { fitLatent } = await import("./latent/tasks.ts");
    return fitLatent(input);
  },
  "latent.fold": async (input) => {
    const { foldLatent } = await import("./latent/tasks.ts");
    return foldLatent(input);
  },
  ping: () => ({ pid: process.pid }),
};

/** What a task throws is an answer, so that a rejection can only mean that the thread itself has failed. */
export default async function runTask({ task, input }: ThreadTask): Promise<ThreadAnswer> {
  try {
    if (!Object.hasOwn(handlers, task)) throw new Error(`there is no task ${task}`);
    const handler = handlers[task as WorkerTaskName] as (input: unknown) => unknown;
    return { ok: true, output: await handler(input) };
  } catch (error) {
    if (error instanceof Error) return { ok: false, name: error.name, message: error.message };
    return { ok: false, name: "TASK_FAILED", message: String(error) };
  }
}
