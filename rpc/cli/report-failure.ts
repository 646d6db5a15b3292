import { ConfigError } from "../../config/config-error.ts";
import { RpcError } from "../client-errors.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import { paintError } from "./print.ts";

/** What a person typed is wrong. */
const usageErrors: ReadonlySet<string> = new Set([
  "QUERY_EMPTY",
  "PATTERN_INVALID",
  "PATH_INVALID",
  "INVALID_FIELD",
]);

/** JSON-RPC's own codes for a request, a method or params that are none: `knowd call` passes on what was typed. */
const malformed: ReadonlySet<number> = new Set([-32600, -32601, -32602]);

/** Says what went wrong and what to do, on standard error. Answers the exit code. */
export async function reportFailure(error: unknown): Promise<number> {
  if (error instanceof CommandFailure) {
    say(error.message, error.hint);
    return error.exitCode;
  }
  if (error instanceof ConfigError) {
    say(error.message, null);
    return EXIT.usage;
  }
  if (error instanceof RpcError) {
    const reason = typeof error.data?.["reason"] === "string" ? ` (${error.data["reason"]})` : "";
    // Hints about fields of the answer are for programs.
    say(error.message + reason, error.hint?.startsWith("data.") ? null : (error.hint ?? null));
    if (error.errorName?.endsWith("_NOT_FOUND")) return EXIT.notFound;
    const isUsage = malformed.has(error.code) || usageErrors.has(error.errorName ?? "");
    return isUsage ? EXIT.usage : EXIT.failed;
  }
  if (error instanceof Error && "syscall" in error && error.syscall === "uv_cwd") {
    say("the working folder is gone", "change into another one");
    return EXIT.failed;
  }
  // A pipe that its reader closed (| head) is no failure.
  if (error instanceof Error && "code" in error && error.code === "EPIPE") return EXIT.done;
  say(error instanceof Error ? error.message : String(error), null);
  return EXIT.failed;
}

function say(message: string, hint: string | null): void {
  process.stderr.write(`${paintError.red("knowd:")} ${message}\n`);
  if (hint !== null && hint !== "") process.stderr.write(`       ${paintError.dim(hint)}\n`);
}
