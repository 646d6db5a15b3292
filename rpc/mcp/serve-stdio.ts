import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { isJSONRPCNotification, isJSONRPCRequest } from "@modelcontextprotocol/sdk/types.js";
import { createMcpServer, type McpOptions } from "./server.ts";

/** How long calls may go on that were asked for before standard input ended. */
const LAST_ANSWERS_MS = 1_500;

/** Serves one client over standard input and output, until its input ends. */
export async function serveStdio(options: McpOptions): Promise<void> {
  const mcp = createMcpServer(options);
  const transport = new StdioServerTransport();
  const requests = followRequests(transport);
  const over = new Promise<void>((resolve) => {
    mcp.server.onclose = resolve;
    process.stdin.once("end", () => {
      setTimeout(resolve, LAST_ANSWERS_MS).unref();
      requests.onceIdle(resolve);
    });
  });
  await mcp.server.connect(transport);
  mcp.warmUp();
  await over;
  await mcp.server.close();
  mcp.close();
}

/** Knows which requests were not answered yet. */
function followRequests(transport: StdioServerTransport): { onceIdle(run: () => void): void } {
  const open = new Set<unknown>();
  let idle: (() => void) | undefined;
  const done = (id: unknown): void => {
    open.delete(id);
    if (open.size === 0) idle?.();
  };
  transport.onmessage = (message) => {
    if (isJSONRPCRequest(message)) open.add(message.id);
    // What was cancelled is not answered.
    else if (isJSONRPCNotification(message) && message.method === "notifications/cancelled")
      done(message.params?.["requestId"]);
  };
  const send = transport.send.bind(transport);
  transport.send = async (message) => {
    await send(message);
    if (!("method" in message)) done(message.id);
  };
  return {
    onceIdle(run) {
      idle = run;
      if (open.size === 0) run();
    },
  };
}
