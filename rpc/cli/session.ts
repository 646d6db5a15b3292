import type { Base, BaseView } from "../contract/bases.ts";
import { didYouMean } from "../../config/nearest.ts";
import { readEnvironment } from "../../config/environment.ts";
import { readInstanceInfo } from "../../config/instance-info.ts";
import { readPipeToken } from "../../config/pipe-token.ts";
import { resolvePaths, type PathFlags, type ResolvedPaths } from "../../config/paths.ts";
import { connect, type Client } from "../client.ts";
import { NoDaemonError, RpcError } from "../client-errors.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import { allOf } from "./pages.ts";

/** Flags that every verb takes. */
export interface GlobalFlags extends PathFlags {
  readonly json?: boolean | undefined;
}

export async function pathsFor(flags: PathFlags): Promise<ResolvedPaths> {
  const { dataDir, socket, config } = flags;
  return await resolvePaths({ ...readEnvironment(), flags: { dataDir, socket, config } });
}

/** Runs `use` with a connection, which is closed afterwards. Fails plainly when no daemon answers. */
export async function withClient<T>(flags: PathFlags, use: (client: Client) => Promise<T>): Promise<T> {
  const paths = await pathsFor(flags);
  const client = await tryConnect(paths);
  if (!client) {
    throw new CommandFailure(
      EXIT.noDaemon,
      `no daemon answers at ${paths.socketPath}`,
      "start one: knowd up [folder]",
    );
  }
  try {
    return await use(client);
  } finally {
    client.close();
  }
}

/** A daemon that works answers within milliseconds, whatever it is busy with. */
const ANSWER_MS = 5_000;

/** Null when nobody listens at the socket. Fails plainly when somebody does and is silent: a stopped process, say. */
export async function tryConnect(paths: ResolvedPaths): Promise<Client | null> {
  const { dataDir, socketPath } = paths;
  const signal = AbortSignal.timeout(ANSWER_MS);
  try {
    const token = readPipeToken(dataDir, process.platform);
    const client = await connect({ socketPath, token, signal });
    await firstAnswer(client, signal);
    return client;
  } catch (error) {
    if (error instanceof NoDaemonError) return null;
    throw signal.aborted ? silence(paths) : error;
  }
}

/** The system takes connections and requests in the name of a process that never looks at them. */
async function firstAnswer(client: Client, signal: AbortSignal): Promise<void> {
  try {
    await client.call("base.list", { limit: 1 }, { signal });
  } catch (error) {
    // A refusal is an answer too.
    if (error instanceof RpcError) return;
    client.close();
    throw error;
  }
}

function silence({ dataDir, socketPath }: ResolvedPaths): CommandFailure {
  const info = readInstanceInfo(dataDir);
  const pid = info?.socketPath === socketPath ? info.pid : null;
  return new CommandFailure(
    EXIT.failed,
    `the daemon${pid === null ? "" : ` (pid ${pid})`} at ${socketPath} does not answer`,
    pid === null
      ? "it may be stopped or stuck: end its process, then start it again with knowd up"
      : `it may be stopped or stuck: kill -CONT ${pid} lets a stopped one go on, kill -KILL ${pid} ends it`,
  );
}

export async function allBases(client: Client): Promise<BaseView[]> {
  return await allOf((page) => client.call("base.list", page));
}

/** Bases by name or id; undefined when none was named. */
export async function basesNamed(
  client: Client,
  names: readonly string[] | undefined,
): Promise<Base[] | undefined> {
  if (!names || names.length === 0) return undefined;
  const bases = await allBases(client);
  return names.map((name) => {
    const found = bases.find((base) => base.id === name || base.name === name);
    if (found) return found;
    throw new CommandFailure(EXIT.notFound, `there is no base "${name}"`, hintOfBases(name, bases));
  });
}

/** Of more bases than these only one that may have been meant is named. */
const NAMED_BASES = 10;

function hintOfBases(name: string, bases: readonly Base[]): string {
  const names = bases.map((base) => base.name);
  if (names.length === 0) return "there are none yet: knowd up <folder> makes one";
  if (names.length <= NAMED_BASES) return `there are: ${names.join(", ")}`;
  return `knowd ls lists all ${names.length}${didYouMean(name, names)}`;
}
