import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, open, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { StringDecoder } from "node:string_decoder";
import { MAX_MARKDOWN_CHARS, ProcessingFailure, type ProcessorInput, progressOf } from "./processor.ts";

export interface CommandSettings {
  /** Program and arguments; no shell is involved. `{input}` and `{output}` stand for the file and for where its Markdown goes. */
  readonly command: readonly string[];
  readonly deadlineMs: number;
}

/** By convention (sysexits) a program that ends so wants to be tried again. */
const EXIT_TEMPORARY = 75;
/** Between the request to end and the end of the whole process group. */
const GRACE_MS = 2000;
/** What is kept of standard error for the reason; characters. */
const MAX_REASON = 500;

/** Runs the program on one file: its Markdown is what it writes to `{output}`, else to standard output. */
export async function runCommand(settings: CommandSettings, input: ProcessorInput): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "knowd-processor-"));
  try {
    const output = path.join(folder, "output.md");
    const usesFile = settings.command.some((part) => part.includes("{output}"));
    const stdout = await runToEnd(settings, input, { folder, output });
    return usesFile ? await readOutput(output) : stdout;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readOutput(output: string): Promise<string> {
  const handle = await open(output).catch(() => {
    throw new ProcessingFailure("permanent", "it ended well but wrote no output");
  });
  try {
    if ((await handle.stat()).size > MAX_MARKDOWN_CHARS) throw tooMuch();
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

function runToEnd(
  { command, deadlineMs }: CommandSettings,
  { file, signal, onProgress }: ProcessorInput,
  { folder, output }: { folder: string; output: string },
): Promise<string> {
  signal.throwIfAborted();
  const [program = "", ...rest] = command;
  // A name that is not UTF-8 can't be an argument of Node's: it keeps its bytes as the link of a name that can.
  const args = rest.map((part) =>
    part.replaceAll("{input}", () => String(file)).replaceAll("{output}", () => output),
  );
  return new Promise((resolve, reject) => {
    // A group of its own, so that what the program starts ends with it.
    const child = spawn(program, args, { cwd: folder, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    const collected = collect(child, onProgress);
    let ending: Error | null = null;
    const end = (reason: Error): void => {
      if (ending !== null) return;
      ending = reason;
      killGroup(child, "SIGTERM");
      setTimeout(() => killGroup(child, "SIGKILL"), GRACE_MS).unref();
    };
    const onAbort = (): void => end(signal.reason as Error);
    collected.onTooMuch(() => end(tooMuch()));
    const timer = setTimeout(() => {
      end(new ProcessingFailure("permanent", `it took longer than its deadline of ${deadlineMs} ms`));
    }, deadlineMs);
    signal.addEventListener("abort", onAbort, { once: true });
    const settle = (conclude: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      conclude();
    };
    child.once("error", (error) => {
      settle(() =>
        reject(new ProcessingFailure("passing", `${program} could not be started: ${error.message}`)),
      );
    });
    child.once("close", (code, killedBy) => {
      // What it started and left behind ends too.
      killGroup(child, "SIGKILL");
      settle(() => {
        if (ending !== null) reject(ending);
        else if (code === 0) resolve(collected.text());
        else reject(failureOf(code, killedBy, collected.reason()));
      });
    });
  });
}

interface Collected {
  text(): string;
  /** The last line that it wrote to standard error. */
  reason(): string;
  onTooMuch(fn: () => void): void;
}

function collect(child: ChildProcess, onProgress: ProcessorInput["onProgress"]): Collected {
  const decoder = new StringDecoder("utf8");
  const pieces: string[] = [];
  let length = 0;
  let tooMuchFn = (): void => undefined;
  child.stdout?.on("data", (bytes: Buffer) => {
    length += bytes.length;
    if (length > MAX_MARKDOWN_CHARS) tooMuchFn();
    else pieces.push(decoder.write(bytes));
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
    text: () => pieces.join("") + decoder.end(),
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

function tooMuch(): ProcessingFailure {
  return new ProcessingFailure("permanent", `it gave more than ${MAX_MARKDOWN_CHARS} characters`);
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? child.pid : -child.pid, signal);
  } catch {
    // The whole group has ended already.
  }
}
