import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { CallToolResult, ServerNotification, ServerRequest } from "@modelcontextprotocol/sdk/types.js";
import type { CallOptions, Progress } from "../client.ts";
import { limitedAnswer, limitedParams, type BaseLimit } from "./base-limit.ts";
import { isDeleteAllowed } from "./confirm.ts";
import type { Link } from "./link.ts";
import { renderAnswer } from "./render.ts";
import { failureOf, toolFailure } from "./tool-error.ts";
import { isDelete, type Tool } from "./tools.ts";

export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;
type Json = Readonly<Record<string, unknown>>;

export interface ToolDeps {
  readonly server: Server;
  readonly link: Link;
  readonly limit: BaseLimit | null;
}

/** Beyond the daemon's own deadline: only a daemon that is stopped or stuck lets it pass. */
const ANSWER_GRACE_MS = 5_000;
/** The daemon takes a message of 1 MiB, with what stands around the arguments. */
const MAX_ARGUMENT_BYTES = 1_000_000;
/** The daemon refuses 64 without a word on whose request it was. */
const MAX_DEPTH = 32;

/** Calls the method behind a tool. What goes wrong is the tool's answer, for the model to act on. */
export async function callTool(
  deps: ToolDeps,
  tool: Tool,
  args: Json,
  extra: Extra,
): Promise<CallToolResult> {
  const problem = problemOf(tool, args);
  if (problem !== null) return toolFailure(problem);
  const { access } = tool.spec;
  try {
    const ids = (await deps.limit?.ids()) ?? null;
    const full = { ...tool.defaults, ...args };
    const params = ids === null ? full : limitedParams(tool.spec, full, ids);
    if (isDelete(tool.method, args) && !(await isDeleteAllowed(deps, tool.name, args, extra)))
      return toolFailure(
        "The user declined: nothing was deleted.",
        "Do not try again unless they ask for it.",
      );
    const found = (await deps.link.call(tool.method, params, access, optionsOf(tool, extra))) as Json;
    const answer = ids === null ? found : limitedAnswer(found, ids);
    return {
      content: [{ type: "text", text: renderAnswer(tool.name, answer) }],
      structuredContent: answer,
      _meta: { untrusted: true },
    };
  } catch (error) {
    const failure = extra.signal.aborted ? null : failureOf(error, access);
    if (failure === null) throw error;
    return failure;
  }
}

/** What the daemon could not tell of, since it would refuse the message as a whole. */
function problemOf(tool: Tool, args: Json): string | null {
  const known = tool.inputSchema.properties ?? {};
  const unknown = Object.keys(args).filter((name) => !Object.hasOwn(known, name));
  if (unknown.length > 0)
    return `${tool.name} has no argument ${unknown
      .slice(0, 5)
      .map((name) => JSON.stringify(name.slice(0, 50)))
      .join(", ")}; it takes ${Object.keys(known).join(", ")}.`;
  if (isDeeperThan(args, MAX_DEPTH)) return `The arguments are nested more than ${MAX_DEPTH} levels deep.`;
  if (Buffer.byteLength(JSON.stringify(args)) > MAX_ARGUMENT_BYTES)
    return `The arguments have more than ${MAX_ARGUMENT_BYTES} bytes.`;
  return null;
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}

function optionsOf(tool: Tool, extra: Extra): CallOptions {
  const token = extra._meta?.progressToken;
  return {
    signal: extra.signal,
    timeoutMs: tool.spec.deadlineMs + ANSWER_GRACE_MS,
    ...(token !== undefined && { onProgress: progressTo(extra, token) }),
  };
}

const PROGRESS_STEP = 0.001;

/** MCP wants progress that grows; the daemon may say the same twice, or count down what waits. */
function progressTo(extra: Extra, progressToken: string | number): (progress: Progress) => void {
  let last = -1;
  return ({ done, total, message }) => {
    const progress = Math.max(done, last + PROGRESS_STEP);
    last = progress;
    const params = { progressToken, progress, message, ...(total !== null && { total }) };
    void extra.sendNotification({ method: "notifications/progress", params });
  };
}
