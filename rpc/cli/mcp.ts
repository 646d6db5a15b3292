import { readEnvironment } from "../../config/environment.ts";
import { methodTable } from "../contract/index.ts";
import { serveStdio } from "../mcp/serve-stdio.ts";
import { packageVersion } from "./program.ts";
import { pathsFor, tryConnect, type GlobalFlags } from "./session.ts";
import { connectOrStart } from "./spawn-daemon.ts";

export interface McpFlags extends GlobalFlags {
  readonly allowManage?: boolean | undefined;
  readonly base?: readonly string[] | undefined;
  readonly token?: string | undefined;
}

/** Serves agents over standard input and output; what people should know goes to standard error. */
export async function mcp(flags: McpFlags): Promise<void> {
  const paths = await pathsFor(flags);
  await serveStdio({
    table: methodTable,
    version: packageVersion(),
    connect: async () => (await connectOrStart(flags)).client,
    connectIfRunning: () => tryConnect(paths),
    allowManage: flags.allowManage === true,
    bases: flags.base ?? [],
    // An empty variable is an unset one, as elsewhere in a shell.
    token: flags.token ?? (readEnvironment().env["KNOWD_TOKEN"] || undefined),
    log: (line) => void process.stderr.write(`knowd mcp: ${line}\n`),
  });
}
