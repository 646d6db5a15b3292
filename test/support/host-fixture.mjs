/** A child that misbehaves on request. Init: { fail?: string, hang?: boolean }. */
import { serveHost, TaskError } from "../../dist/workers/host-loop.js";

const held = [];
let served = 0;

function forever() {
  for (;;) Math.sqrt(served);
}

function untilAborted(signal) {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

const tasks = {
  echo: (input) => input,
  pid: () => process.pid,
  served: () => served,
  block: forever,
  wait: (_input, signal) => untilAborted(signal),
  deaf: () => new Promise(() => undefined),
  sleep: ({ ms }) => new Promise((resolve) => setTimeout(() => resolve(ms), ms)),
  exit: ({ code, words }) => {
    process.stderr.write(`${words}\n`, () => process.exit(code));
    return new Promise(() => undefined);
  },
  uncaught: ({ message }) => {
    setImmediate(() => {
      throw new TypeError(message);
    });
    return new Promise(() => undefined);
  },
  answerThenDie: (input) => {
    setImmediate(() => process.kill(process.pid, "SIGKILL"));
    return input;
  },
  heap: () => {
    for (;;) held.push(Array.from({ length: 10_000 }, (_unused, at) => ({ at })));
  },
  buffers: async ({ megabytes }) => {
    for (let taken = 0; taken < megabytes; taken += 16) {
      held.push(Buffer.alloc(16 * 2 ** 20, 1));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    return held.length;
  },
  named: () => {
    throw new TaskError("PATTERN_INVALID", "unclosed group");
  },
  plain: () => Promise.reject({ message: "a plain object" }),
  unclonable: () => () => undefined,
};

serveHost({
  async onStart(init) {
    if (init?.fail) throw new Error(init.fail);
    if (init?.hang) await new Promise(() => setInterval(() => undefined, 1_000));
  },
  run: async (task, input, signal) => {
    const output = await tasks[task](input, signal);
    served++;
    return output;
  },
});
