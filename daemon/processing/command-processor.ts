import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:fs";
import { open, symlink } from "node:fs/promises";
import path from "node:path";
import {
  MAX_MARKDOWN_BYTES,
  ProcessingFailure,
  type ProcessorInput,
  progressOf,
  tooLate,
  tooMuch,
} from "./processor.ts";
import { recordProcess, type Workplace } from "./workplace.ts";

export interface CommandSettings {
  /** Program and arguments; no shell is involved. `{input}` and `{output}` stand for the file and for where its Markdown goes. */
  readonly command: readonly string[];
  readonly deadlineMs: number;
}

/** By convention (sysexits) a program that ends so wants to be tried again. */
const EXIT_TEMPORARY = 75;
/** Between the request to end and the end of the whole process group. */
const GRACE_MS = 2000;
/** What a program left running behind it has this long for its last words; then its group ends, and nobody listens any more. */
const LEFTOVER_MS = 2000;
/** What is kept of standard error for the reason; characters. */
const MAX_REASON = 500;

/** Runs the program on one file: its Markdown is what it writes to `{output}`, else to standard output. */
export async function runCommand(
  settings: CommandSettings,
  input: ProcessorInput,
  workplace: Workplace,
): Promise<Buffer> {
  return await workplace.withFolder(async (folder) => {
    const output = path.join(folder, "output.md");
    const usesFile = settings.command.some((part) => part.includes("{output}"));
    const file = await nameable(input, folder);
    const stdout = await runToEnd(settings, input, { folder, file, output });
    return usesFile ? await readOutput(output) : stdout;
  });
}

/** A name that is not UTF-8 can't be an argument of Node's: a link of a name that can stands for the file. */
async function nameable({ file, name }: ProcessorInput, folder: string): Promise<string> {
  if (typeof file === "string") return file;
  const link = path.join(folder, `input${/\.[A-Za-z0-9]+$/.exec(name)?.[0] ?? ""}`);
  await symlink(file, link);
  return link;
}

async function readOutput(output: string): Promise<Buffer> {
  const handle = await open(output, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => null);
  if (handle === null) throw noOutput();
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw noOutput();
    if (stats.size > MAX_MARKDOWN_BYTES) throw tooMuch();
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

function runToEnd(
  { command, deadlineMs }: CommandSettings,
  { signal, onProgress }: ProcessorInput,
  { folder, file, output }: { folder: string; file: string; output: string },
): Promise<Buffer> {
  signal.throwIfAborted();
  const [program = "", ...rest] = command;
  const values = { "{input}": file, "{output}": output };
  const args = rest.map((part) =>
    part.replaceAll(/\{(?:input|output)\}/g, (named) => values[named as keyof typeof values]),
  );
  return new Promise((resolve, reject) => {
    // A group of its own, so that what the program starts ends with it.
    const child = spawn(program, args, { cwd: folder, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    if (child.pid !== undefined) recordProcess(folder, child.pid);
    const collected = collect(child, onProgress);
    const timers: NodeJS.Timeout[] = [];
    let ending: Error | null = null;
    const end = (reason: Error): void => {
      if (ending !== null) return;
      ending = reason;
      killGroup(child, "SIGTERM");
      timers.push(setTimeout(() => killGroup(child, "SIGKILL"), GRACE_MS));
    };
    const onAbort = (): void => end(signal.reason as Error);
    collected.onTooMuch(() => end(tooMuch()));
    timers.push(setTimeout(() => end(tooLate(deadlineMs)), deadlineMs));
    signal.addEventListener("abort", onAbort, { once: true });
    const settle = (conclude: () => void): void => {
      timers.forEach(clearTimeout);
      signal.removeEventListener("abort", onAbort);
      conclude();
    };
    child.once("error", (error) => {
      settle(() =>
        reject(new ProcessingFailure("passing", `${program} could not be started: ${error.message}`)),
      );
    });
    child.once("exit", () => timers.push(setTimeout(() => setImmediate(() => letGo(child)), LEFTOVER_MS)));
    child.once("close", (code, killedBy) => {
      // What it started and left behind ends too.
      killGroup(child, "SIGKILL");
      settle(() => {
        if (ending !== null) reject(ending);
        else if (code === 0) resolve(collected.bytes());
        else reject(failureOf(code, killedBy, collected.reason()));
      });
    });
  });
}

interface Collected {
  bytes(): Buffer;
  /** The last line that it wrote to standard error. */
  reason(): string;
  onTooMuch(fn: () => void): void;
}

function collect(child: ChildProcess, onProgress: ProcessorInput["onProgress"]): Collected {
  const pieces: Buffer[] = [];
  let length = 0;
  let tooMuchFn = (): void => undefined;
  child.stdout?.on("data", (bytes: Buffer) => {
    length += bytes.length;
    if (length > MAX_MARKDOWN_BYTES) tooMuchFn();
    else pieces.push(bytes);
  });
  let rest = "";
  let last = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    // A line without end is not kept beyond what is shown of it.
    rest = (lines.pop() ?? "").slice(-MAX_REASON);
    for (const line of lines) {
      const progress = progressOf(line);
      if (progress !== null) onProgress(progress);
      else if (line.trim() !== "") last = line;
    }
  });
  return {
    bytes: () => Buffer.concat(pieces),
    reason: () => (rest.trim() === "" ? last : rest).trim().slice(0, MAX_REASON),
    onTooMuch(fn) {
      tooMuchFn = fn;
    },
  };
}

function failureOf(code: number | null, killedBy: NodeJS.Signals | null, reason: string): ProcessingFailure {
  const how = code === null ? `it was ended by ${killedBy ?? "a signal"}` : `it ended with exit code ${code}`;
  const kind = code === EXIT_TEMPORARY || code === null ? "passing" : "permanent";
  return new ProcessingFailure(kind, reason === "" ? how : `${how}: ${reason}`);
}

function noOutput(): ProcessingFailure {
  return new ProcessingFailure("permanent", "it ended well but wrote no output");
}

/** After the program's end: something that holds its output open, perhaps outside the group, must not be waited for. */
function letGo(child: ChildProcess): void {
  killGroup(child, "SIGKILL");
  child.stdout?.destroy();
  child.stderr?.destroy();
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? child.pid : -child.pid, signal);
  } catch {
    // The whole group has ended already.
  }
}
