import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { locations } from "../../config/locations.ts";
import type { PathFlags } from "../../config/paths.ts";
import type { Client } from "../client.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import { pathsFor, tryConnect } from "./session.ts";

const START_TIMEOUT_MS = 20_000;
const POLL_MS = 25;
const LOG_TAIL_LINES = 8;

export interface Started {
  readonly client: Client;
  /** False when a daemon ran already. */
  readonly started: boolean;
}

/** A connection to the daemon, which is started in the background when none runs. */
export async function connectOrStart(flags: PathFlags): Promise<Started> {
  const paths = await pathsFor(flags);
  const { logFile } = paths;
  const running = await tryConnect(paths);
  if (running) return { client: running, started: false };
  const child = spawnDetached(flags, logFile);
  const ended = new Promise<number>((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
  const exit = { code: null as number | null };
  void ended.then((code) => (exit.code = code));
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const client = await tryConnect(paths);
    if (client) {
      child.unref();
      return { client, started: true };
    }
    // Exit code 0 means that another daemon won the race for the data folder: it will answer.
    if (exit.code !== null && exit.code !== 0) throw startFailure(logFile);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  child.unref();
  throw startFailure(logFile);
}

/** Runs the daemon in this terminal until it ends; its exit code. */
export async function runInForeground(flags: PathFlags): Promise<number> {
  const child = spawn(process.execPath, daemonArguments(flags), { stdio: "inherit" });
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.on("SIGINT", forward).on("SIGTERM", forward);
  return await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) =>
      resolve(code ?? (signal === "SIGTERM" || signal === "SIGINT" ? 0 : 1)),
    );
  });
}

function spawnDetached(flags: PathFlags, logFile: string): ChildProcess {
  mkdirSync(path.dirname(logFile), { recursive: true, mode: 0o700 });
  // What the daemon says before its own log is open (a bad setting, a missing module) must not be lost.
  const log = openSync(logFile, "a", 0o600);
  try {
    return spawn(process.execPath, [...daemonArguments(flags), "--log-file", logFile], {
      // A daemon must not hold on to the folder it was started from.
      cwd: path.parse(process.cwd()).root,
      detached: true,
      stdio: ["ignore", log, log],
    });
  } finally {
    closeSync(log);
  }
}

function daemonArguments(flags: PathFlags): string[] {
  const named: [string, string | undefined][] = [
    ["--data-dir", flags.dataDir],
    ["--socket", flags.socket],
    ["--config", flags.config],
  ];
  return [
    fileURLToPath(locations.daemon),
    ...named.flatMap(([flag, value]) => (value === undefined ? [] : [flag, absolute(value)])),
  ];
}

/** Flags are relative to where the command was typed. */
function absolute(value: string): string {
  return value.startsWith("~") ? value : path.resolve(value);
}

function startFailure(logFile: string): CommandFailure {
  const tail = readFileSync(logFile, "utf8").trimEnd().split("\n").slice(-LOG_TAIL_LINES).join("\n");
  return new CommandFailure(EXIT.failed, `the daemon did not start:\n${tail}`, `the whole log: ${logFile}`);
}
