import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { HostRequest, HostResponse } from "../../workers/contract.ts";
import { createLineSplitter } from "./lines.ts";
import type { Log } from "./log.ts";

export interface HostProcessOptions {
  readonly name: string;
  /** The built JavaScript of the child. */
  readonly entryUrl: URL;
  /** Plain data for the child's start, passed on its command line: no secrets. */
  readonly init: unknown;
  /** Bound of each V8 heap in the child, threads included. */
  readonly heapLimitMb: number;
  /** The child's environment; the parent's own when left out. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly startDeadlineMs: number;
  readonly log: Log;
}

/** One life of a child. */
export interface HostProcess {
  /** Undefined when it could not be spawned. */
  readonly pid: number | undefined;
  /** Rejects with a sentence when the child says that it can't, ends, or takes too long. */
  readonly ready: Promise<void>;
  /** Resolves with a sentence about how it ended, after its last message was delivered. */
  readonly exited: Promise<string>;
  /** False from the first sign of its end: what is sent now would be lost, and blamed for nothing. */
  readonly alive: () => boolean;
  send(request: HostRequest): void;
  /** Asks it to end, and kills it after graceMs. */
  stop(graceMs: number): Promise<void>;
  /** SIGKILL; `why` becomes the sentence of `exited`. */
  kill(why: string): void;
}

/** Enough for a JavaScript stack or V8's last words. */
const TAIL_LINES = 40;
const ERROR_LINE = /^(?:Uncaught )?(?:FATAL ERROR|\w*(?:Error|Exception)(?: \[\w+\])?): /;
/** What may hold the output pipes open after the child's end must not hide that end. */
const DRAIN_MS = 1_000;

export function openHostProcess(
  options: HostProcessOptions,
  onResponse: (response: HostResponse) => void,
): HostProcess {
  const { name, log } = options;
  const child = fork(fileURLToPath(options.entryUrl), [JSON.stringify(options.init ?? null)], {
    serialization: "advanced",
    execArgv: [`--max-old-space-size=${options.heapLimitMb}`],
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    ...(options.env ? { env: { ...options.env } } : {}),
  });
  // A child that is blocked in native code does not notice that its parent is gone.
  const endWithParent = () => child.kill("SIGKILL");
  process.once("exit", endWithParent);
  const tail: string[] = [];
  forwardLines(child, (line) => {
    log.warn({ host: name, pid: child.pid }, line);
    tail.push(line);
    if (tail.length > TAIL_LINES) tail.shift();
  });
  let killedBecause: string | null = null;
  const kill = (why: string) => {
    killedBecause ??= why;
    child.kill("SIGKILL");
  };
  const exited = awaitExit(child).then((how) => {
    process.off("exit", endWithParent);
    return killedBecause ?? withReason(`${name} ${how}`, tail);
  });
  const ready = awaitReady(child, exited, { ...options, onResponse, kill });
  // Whoever waits for it still gets the rejection; nobody need.
  ready.catch(() => undefined);
  return {
    pid: child.pid,
    ready,
    exited,
    alive: () => child.connected && child.exitCode === null && child.signalCode === null,
    send(request) {
      // A broken channel means that the child is ending: `exited` tells.
      if (child.connected) child.send(request, () => undefined);
    },
    async stop(graceMs) {
      if (child.connected) child.send({ type: "stop" } satisfies HostRequest, () => undefined);
      const timer = setTimeout(() => kill(`${name} was killed: it did not stop in ${graceMs} ms`), graceMs);
      await exited;
      clearTimeout(timer);
    },
    kill,
  };
}

/** What the child said on stderr before it ended, cut to the line that tells most. */
function withReason(how: string, tail: readonly string[]): string {
  const reason = tail.findLast((line) => ERROR_LINE.test(line)) ?? tail.at(-1);
  return reason === undefined ? how : `${how}: ${reason}`;
}

function awaitReady(
  child: ChildProcess,
  exited: Promise<string>,
  context: HostProcessOptions & {
    readonly onResponse: (response: HostResponse) => void;
    readonly kill: (why: string) => void;
  },
): Promise<void> {
  const { name, startDeadlineMs, onResponse, kill } = context;
  return new Promise((resolve, reject) => {
    const fail = (why: string) => {
      clearTimeout(timer);
      reject(new Error(why));
    };
    const timer = setTimeout(() => {
      const why = `${name} did not get ready in ${startDeadlineMs} ms`;
      fail(why);
      kill(why);
    }, startDeadlineMs);
    child.on("message", (response: HostResponse) => {
      if (response.type === "fatal") fail(response.message);
      else if (response.type === "ready") {
        clearTimeout(timer);
        resolve();
      } else onResponse(response);
    });
    void exited.then(fail);
  });
}

/** `close` comes when the last message and the last output have been read; `exit` alone may come before them. */
function awaitExit(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let how = "ended";
    const say = () => resolve(how);
    child.once("exit", (code, signal) => {
      how = signal ? `ended by ${signal}` : `ended with exit code ${code}`;
      setTimeout(say, DRAIN_MS).unref();
    });
    child.once("close", say);
    child.on("error", (error) => {
      // Errors of a living child (a message it can't take any more) end in its exit.
      if (child.pid !== undefined) return;
      how = `could not be spawned: ${error.message}`;
      say();
    });
  });
}

function forwardLines(child: ChildProcess, onLine: (line: string) => void): void {
  for (const stream of [child.stdout, child.stderr]) {
    const splitter = createLineSplitter(onLine);
    stream?.setEncoding("utf8");
    stream?.on("data", (text: string) => splitter.push(text));
    stream?.on("close", () => splitter.end());
  }
}
