import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, fstatSync, mkdirSync, openSync, readSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { locations } from "../../config/locations.ts";
import type { PathFlags, ResolvedPaths } from "../../config/paths.ts";
import type { Client } from "../client.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import { pathsFor, tryConnect } from "./session.ts";

const START_TIMEOUT_MS = 20_000;
const POLL_MS = 25;
/** How long the winner of a race for the data folder may take until it answers. */
const WINNER_TIMEOUT_MS = 5000;
const LOG_TAIL_LINES = 8;

export interface Started {
  readonly client: Client;
  /** False when a daemon ran already. */
  readonly started: boolean;
}

/** A connection to the daemon, which is started in the background when none runs. */
export async function connectOrStart(flags: PathFlags): Promise<Started> {
  const paths = await pathsFor(flags);
  const running = await tryConnect(paths);
  if (running) return { client: running, started: false };
  mkdirSync(path.dirname(paths.logFile), { recursive: true, mode: 0o700 });
  // It stays the file that the daemon's first words go to, also when the daemon puts a large log aside.
  const log = openSync(paths.logFile, "a+", 0o600);
  try {
    return await startInBackground(paths, log);
  } finally {
    closeSync(log);
  }
}

async function startInBackground(paths: ResolvedPaths, log: number): Promise<Started> {
  const logged = fstatSync(log).size;
  const child = spawnDetached(paths, log);
  const exit = { code: null as number | null, error: null as Error | null };
  let deadline = performance.now() + START_TIMEOUT_MS;
  child.once("error", (error) => (exit.error = error));
  child.once("exit", (code) => {
    exit.code = code ?? EXIT.failed;
    deadline = Math.min(deadline, performance.now() + WINNER_TIMEOUT_MS);
  });
  while (performance.now() < deadline) {
    const client = await tryConnect(paths);
    if (client) {
      child.unref();
      // Of several that start at once one wins, and answers to all.
      const { pid } = await client.call("system.status", {});
      return { client, started: pid === child.pid };
    }
    // The system refused to start a process.
    if (exit.error !== null) throw exit.error;
    // Exit code 0 means that another daemon won the race for the data folder: it will answer.
    if (exit.code !== null && exit.code !== EXIT.done) break;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  child.unref();
  throw startFailure(paths.logFile, textFrom(log, logged), exit.code);
}

/** Runs the daemon in this terminal until it ends; its exit code. */
export async function runInForeground(flags: PathFlags): Promise<number> {
  const child = spawn(process.execPath, daemonArguments(await pathsFor(flags)), {
    stdio: "inherit",
    // A terminal sends Ctrl-C to all of a group. The daemon must have it once, from here: the second one skips the drain.
    detached: true,
  });
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.on("SIGINT", forward).on("SIGTERM", forward).on("SIGHUP", forward);
  return await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) =>
      resolve(code ?? (signal === "SIGTERM" || signal === "SIGINT" ? 0 : 1)),
    );
  });
}

function spawnDetached(paths: ResolvedPaths, log: number): ChildProcess {
  return spawn(process.execPath, [...daemonArguments(paths), "--log-file", paths.logFile], {
    // A daemon must not hold on to the folder it was started from.
    cwd: path.parse(process.cwd()).root,
    detached: true,
    // What it says before its own log is open (a bad setting, a missing module) must not be lost.
    stdio: ["ignore", log, log],
  });
}

/** The daemon has another working folder, so it is told what relative paths came to here. */
function daemonArguments({ dataDir, socketPath, configFile }: ResolvedPaths): string[] {
  const config = configFile === null ? [] : ["--config", configFile.path];
  return [fileURLToPath(locations.daemon), "--data-dir", dataDir, "--socket", socketPath, ...config];
}

/** `said` is what this daemon has written to the log. */
function startFailure(logFile: string, said: string, exitCode: number | null): CommandFailure {
  const lines = said.trimEnd().split("\n");
  // Sentences for people stand between the log's own lines.
  const sentences = lines.filter((line) => !line.startsWith("{"));
  const tail = (sentences.length > 0 ? sentences : lines).slice(-LOG_TAIL_LINES).join("\n");
  return new CommandFailure(
    exitCode === EXIT.usage ? EXIT.usage : EXIT.failed,
    `the daemon did not start:\n${tail}`,
    `the whole log: ${logFile}`,
  );
}

const MAX_LOG_BYTES = 64 * 1024;

/** What stands in a file from an offset on; of a long text its end. */
function textFrom(fd: number, offset: number): string {
  const from = Math.max(offset, fstatSync(fd).size - MAX_LOG_BYTES);
  const bytes = Buffer.alloc(MAX_LOG_BYTES);
  return bytes.subarray(0, readSync(fd, bytes, 0, MAX_LOG_BYTES, from)).toString("utf8");
}
