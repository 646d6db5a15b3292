import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { ConnectionLostError, RpcError } from "../client-errors.ts";
import type { Access } from "../contract/define.ts";
import { quoted } from "./fence.ts";

/** A tool's failure as a model reads it: what happened, why, and what to do. */
export function toolFailure(message: string, hint: string | null = null): CallToolResult {
  const text = hint === null ? message : `${message}\n${hint}`;
  return { content: [{ type: "text", text }], isError: true };
}

/** Errors that the daemon answered with, and a daemon that cannot be reached; null for a defect of this program. */
export function failureOf(error: unknown, access: Access): CallToolResult | null {
  if (error instanceof RpcError) {
    const { reason } = error.data;
    const because = typeof reason === "string" ? ` Reason: ${quoted(reason)}` : "";
    const name = error.errorName ?? String(error.code);
    // Hints about fields of the answer are for programs: the reason stands there already.
    const hint = error.hint?.startsWith("data.") === true ? null : error.hint;
    return toolFailure(`${name}: ${error.message}${because}`, hint);
  }
  if (error instanceof ConnectionLostError) {
    const hint =
      access === "read" ? "Ask again." : "It may have been carried out: look before you ask for it again.";
    return toolFailure(error.message, hint);
  }
  if (error instanceof DaemonUnreachable) return toolFailure(error.message, error.hint);
  return null;
}

/** Nobody answers, and nobody could be started. */
export class DaemonUnreachable extends Error {
  override readonly name = "DaemonUnreachable";
  readonly hint: string | null;
  constructor(cause: unknown) {
    super(`knowd can't be reached: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    const hint = cause instanceof Error && "hint" in cause ? cause.hint : null;
    this.hint = typeof hint === "string" ? hint : null;
  }
}
