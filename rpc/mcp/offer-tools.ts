import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from "@modelcontextprotocol/sdk/types.js";
import { callTool, type ToolDeps } from "./call-tool.ts";
import type { Grants } from "./session.ts";
import type { Tool } from "./tools.ts";

export interface OfferDeps extends ToolDeps {
  readonly server: Server;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly allowManage: boolean;
  /** What the daemon grants at the moment. */
  readonly grants: () => Promise<Grants>;
}

/** Lists the tools that may be called, and calls them. */
export function offerTools({ tools, allowManage, grants, ...deps }: OfferDeps): void {
  deps.server.setRequestHandler(ListToolsRequestSchema, async () => {
    const { read, write } = await grants();
    const granted = [...tools.values()].filter(({ spec }) =>
      spec.access === "read" ? read : spec.access === "write" && allowManage && write,
    );
    return {
      tools: granted.map(({ name, description, inputSchema, outputSchema, annotations }) => ({
        name,
        description,
        inputSchema,
        outputSchema,
        annotations,
      })),
    };
  });
  // What is not granted the daemon refuses by itself.
  deps.server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const tool = tools.get(params.name);
    if (tool === undefined || tool.spec.access === "admin")
      throw new McpError(ErrorCode.InvalidParams, "There is no such tool.");
    if (tool.spec.access === "write" && !allowManage)
      throw new McpError(
        ErrorCode.InvalidParams,
        `${tool.name} changes what is stored and is not offered: start the server with --allow-manage.`,
      );
    return await callTool(deps, tool, params.arguments ?? {}, extra);
  });
}
