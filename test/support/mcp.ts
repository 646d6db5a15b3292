import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { CallToolResult, ClientCapabilities } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import { cliEntry, homeEnvironment } from "./daemon.ts";

export interface McpSession {
  readonly client: Client;
  /** What the server has written to standard error so far. */
  readonly log: () => string;
  readonly call: (name: string, args?: Record<string, unknown>) => Promise<CallToolResult>;
}

interface McpSessionOptions {
  readonly capabilities?: ClientCapabilities;
  readonly prepare?: (client: Client) => void;
  /** With all of its arguments; without it the built command line, with `mcp` and the arguments. */
  readonly command?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The official client, speaking to the built `knowd mcp` over standard input and output until the test ends. */
export async function connectMcp(
  home: string,
  args: readonly string[] = [],
  options: McpSessionOptions = {},
): Promise<McpSession> {
  const session = await openMcp(home, args, options);
  onTestFinished(() => session.client.close());
  return session;
}

/** Likewise, until whoever asks for it closes it. */
export async function openMcp(
  home: string,
  args: readonly string[] = [],
  options: McpSessionOptions = {},
): Promise<McpSession> {
  const { command, prepare } = options;
  const environment = Object.entries({ ...homeEnvironment(home), ...options.env }).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  const transport = new StdioClientTransport({
    command: command ?? process.execPath,
    args: command === undefined ? [cliEntry, "mcp", ...args] : [...args],
    env: Object.fromEntries(environment),
    stderr: "pipe",
  });
  let log = "";
  transport.stderr?.on("data", (bytes: Buffer) => (log += bytes.toString("utf8")));
  const client = new Client({ name: "test", version: "1.0.0" }, { capabilities: options.capabilities ?? {} });
  prepare?.(client);
  await client.connect(transport);
  return {
    client,
    log: () => log,
    call: async (name, args = {}) => (await client.callTool({ name, arguments: args })) as CallToolResult,
  };
}

export function textOf(result: CallToolResult): string {
  return result.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}
