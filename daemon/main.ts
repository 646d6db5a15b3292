import { parseArgs } from "node:util";
import { readEnvironment } from "../config/environment.ts";
import { ConfigError } from "../config/config-error.ts";
import { loadConfig } from "../config/load.ts";
import { startApp } from "./app.ts";
import { isDiskFull, KnowdError } from "./runtime/errors.ts";
import { openLog } from "./runtime/log.ts";

/** What the service manager learns. 0: stopped in good order, or another daemon serves this folder. 2: a bad setting or flag. */
const EXIT = { done: 0, failed: 1, usage: 2 } as const;
/** The promise is five seconds (P24); the rest is for what cannot be hurried. */
const STOP_DEADLINE_MS = 4500;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      "data-dir": { type: "string" },
      socket: { type: "string" },
      config: { type: "string" },
      "log-file": { type: "string" },
      set: { type: "string", multiple: true },
    },
  });
  const { config } = await loadConfig({
    ...readEnvironment(),
    configPath: values.config,
    argvOverrides: {
      "data.dir": values["data-dir"],
      "socket.path": values.socket,
      "log.file": values["log-file"],
      ...Object.fromEntries((values.set ?? []).map(splitSetting)),
    },
  });
  const { level, file } = config.log;
  const log = openLog({ level, destination: file === null ? undefined : { path: file } });
  const stopping = new AbortController();
  listenForSignals(stopping);
  const app = await startApp({ config, log, requestStop: () => stopping.abort() });
  if (!stopping.signal.aborted) {
    await new Promise((resolve) => stopping.signal.addEventListener("abort", resolve, { once: true }));
  }
  log.info({}, "stopping");
  const clean = await app.stop(STOP_DEADLINE_MS);
  log.info({ clean }, "stopped");
  return EXIT.done;
}

/** The first signal drains, a second one leaves at once: every state on disk is safe to be left (P1). */
function listenForSignals(stopping: AbortController): void {
  let seen = false;
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (seen) leave(EXIT.failed);
      seen = true;
      stopping.abort();
    });
  }
}

/** process.exit waits for threads that are busy in native code; this does not. */
function leave(code: number): never {
  (process as unknown as { reallyExit(code: number): never }).reallyExit(code);
  throw new Error("unreachable");
}

function splitSetting(setting: string): [string, string] {
  const at = setting.indexOf("=");
  return at < 0 ? [setting, ""] : [setting.slice(0, at), setting.slice(at + 1)];
}

/** What parseArgs says of a flag it does not know, or one without its value. */
function isBadArgument(error: unknown): error is Error {
  return error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS_");
}

function report(error: unknown): number {
  if (error instanceof KnowdError && error.errorName === "ALREADY_RUNNING") {
    process.stderr.write(`${error.message} (${JSON.stringify(error.data)})\n`);
    return EXIT.done;
  }
  if (isDiskFull(error)) {
    process.stderr.write("The disk of the data folder is full: free some space and start again.\n");
    return EXIT.failed;
  }
  if (isBadArgument(error)) {
    process.stderr.write(`${error.message}\n`);
    return EXIT.usage;
  }
  const text =
    error instanceof ConfigError || (error instanceof KnowdError && error.errorName !== "INTERNAL")
      ? error.message
      : error instanceof Error
        ? (error.stack ?? error.message)
        : String(error);
  process.stderr.write(`${text}\n`);
  return error instanceof ConfigError ? EXIT.usage : EXIT.failed;
}

leave(await main().catch(report));
