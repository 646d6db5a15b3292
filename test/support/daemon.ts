import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, onTestFinished } from "vitest";
import { connect, type Client } from "../../rpc/client.ts";
import type { BaseView } from "../../rpc/contract/bases.ts";
import type { Source } from "../../rpc/contract/sources.ts";
import { eventually } from "./eventually.ts";
import { makeFolder, removeFolder, temporaryFolder } from "./temporary.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
export const daemonEntry = path.join(root, "dist/daemon/main.js");
export const cliEntry = path.join(root, "dist/rpc/cli/main.js");

export interface Daemon {
  readonly home: string;
  readonly dataDir: string;
  readonly socketPath: string;
  readonly process: ChildProcess;
  readonly client: Client;
  /** What it has written to standard error so far. */
  log(): string;
  /** Ends it as given, and resolves to its exit code (null after a kill). */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

/** The environment of a user who has nothing but this home folder. */
export function homeEnvironment(home: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env["PATH"],
    HOME: home,
    XDG_DATA_HOME: path.join(home, "data"),
    XDG_CONFIG_HOME: path.join(home, "config"),
    XDG_STATE_HOME: path.join(home, "state"),
    XDG_RUNTIME_DIR: path.join(home, "run"),
    NO_COLOR: "1",
  };
}

interface StartOptions {
  readonly home?: string;
  readonly settings?: Readonly<Record<string, string | number>>;
}

/** Starts the built daemon in a home of its own (or again in a given one) and connects to it. */
export async function startDaemon(options: StartOptions = {}): Promise<Daemon> {
  return await launch({ ...options, home: options.home ?? temporaryFolder() }, onTestFinished);
}

/**
 * One daemon for all tests of a file or a suite, for those that neither end it nor look at what is its alone: a start
 * costs a second of a core. Each test finds it without bases, and what the test made of them is deleted after it, so
 * that its sources are left before its folders go. `prepare` may write what is to stand in its home, a configuration.
 */
export function shareDaemon(
  settings: StartOptions["settings"] = {},
  prepare: (home: string) => void = () => undefined,
): () => Daemon {
  let daemon: Daemon | undefined;
  const ends: (() => unknown)[] = [];
  const shared = (): Daemon => {
    if (daemon === undefined) throw new Error("the shared daemon runs in tests only");
    return daemon;
  };
  beforeAll(async () => {
    const home = makeFolder();
    ends.push(() => removeFolder(home));
    prepare(home);
    daemon = await launch({ home, settings }, (end) => ends.push(end));
  });
  afterEach(async () => {
    const { client } = shared();
    for (const { id } of (await client.call("base.list", { limit: 100 })).items)
      await client.call("base.delete", { baseId: id });
  });
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });
  return shared;
}

async function launch(
  { home, settings = {} }: StartOptions & { home: string },
  atEnd: (end: () => Promise<void>) => void,
): Promise<Daemon> {
  const dataDir = path.join(home, "data", "knowd");
  const socketPath = path.join(home, "run", "knowd", "knowd.sock");
  mkdirSync(path.join(home, "run"), { recursive: true, mode: 0o700 });
  const set = Object.entries(settings).flatMap(([key, value]) => ["--set", `${key}=${value}`]);
  const child = spawn(process.execPath, [daemonEntry, "--socket", socketPath, ...set], {
    env: homeEnvironment(home),
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (log += text));
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  let over = false;
  void ended.then(() => (over = true));
  atEnd(async () => {
    if (!over) child.kill("SIGKILL");
    await ended;
  });
  const client = await eventually(async () => {
    if (over) throw new Error(`the daemon ended at start:\n${log}`);
    return await connect({ socketPath });
  });
  return {
    home,
    dataDir,
    socketPath,
    process: child,
    client,
    log: () => log,
    async end(signal = "SIGTERM") {
      client.close();
      child.kill(signal);
      return await ended;
    },
  };
}

/** A base that watches a folder, with everything in it indexed. */
export async function watchFolder(
  client: Client,
  folder: string,
  base: { name?: string; embeddingModelId?: string | null } = {},
): Promise<{ base: BaseView; source: Source }> {
  const created = await client.call("base.create", { name: base.name ?? path.basename(folder), ...base });
  const { source } = await client.call("source.add", { baseId: created.base.id, path: folder });
  await client.call("source.sync", { sourceId: source.id });
  return { base: (await client.call("base.get", { baseId: created.base.id })).base, source };
}
