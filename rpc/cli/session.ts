import type { Base, BaseView } from "../contract/bases.ts";
import { readEnvironment } from "../../config/environment.ts";
import { readPipeToken } from "../../config/pipe-token.ts";
import { resolvePaths, type PathFlags, type ResolvedPaths } from "../../config/paths.ts";
import { connect, type Client } from "../client.ts";
import { NoDaemonError } from "../client-errors.ts";
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

/** Null when no daemon answers at the socket. */
export async function tryConnect({ dataDir, socketPath }: ResolvedPaths): Promise<Client | null> {
  try {
    return await connect({ socketPath, token: readPipeToken(dataDir, process.platform) });
  } catch (error) {
    if (error instanceof NoDaemonError) return null;
    throw error;
  }
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
    const known = bases.map((base) => base.name).join(", ") || "none yet";
    throw new CommandFailure(EXIT.notFound, `there is no base "${name}"`, `there are: ${known}`);
  });
}
