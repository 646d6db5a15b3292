import { pbkdf2Sync } from "node:crypto";
import { threadId } from "node:worker_threads";

const tasks = {
  ping: () => ({ pid: process.pid }),
  thread: () => threadId,
  loop: () => {
    for (;;) Math.sqrt(threadId);
  },
  native: () => pbkdf2Sync("word", "salt", 2 ** 31 - 1, 64, "sha512"),
  exit: () => process.exit(3),
  reject: () => {
    setImmediate(() => {
      throw new TypeError("thrown where nobody catches");
    });
    return new Promise(() => undefined);
  },
  leaveBomb: () => {
    setTimeout(() => {
      throw new Error("left behind");
    }, 5);
    return "fine";
  },
  sleep: ({ ms }) => new Promise((resolve) => setTimeout(() => resolve(threadId), ms)),
  unclonable: () => () => undefined,
};

export default async function runTask({ task, input }) {
  return { ok: true, output: await tasks[task](input) };
}
