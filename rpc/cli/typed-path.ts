import { readFileSync, readlinkSync } from "node:fs";
import path from "node:path";
import { escapePath } from "../../workers/path-bytes.ts";
import { CommandFailure, EXIT } from "./exit.ts";

/** What stands in an argument for bytes that are no UTF-8. */
const LOST = "\uFFFD";

/**
 * A path as it was typed → absolute, in the escaped form that the daemon knows it by. Node gives arguments as text, in
 * which bytes that are no UTF-8 are lost; Linux still has them.
 */
export function typedPath(typed: string): string {
  // An unset variable in a script must not mean the working folder.
  if (typed === "") throw new CommandFailure(EXIT.usage, "a path is empty", "is a variable unset?");
  return path.resolve(workingFolder(), typed.includes(LOST) ? typedBytes(typed) : typed);
}

function typedBytes(typed: string): string {
  for (const bytes of rawArguments()) if (bytes.toString("utf8") === typed) return escapePath(bytes);
  return typed;
}

function rawArguments(): Buffer[] {
  if (process.platform !== "linux") return [];
  const line = readFileSync("/proc/self/cmdline");
  const found: Buffer[] = [];
  for (let at = 0, end = line.indexOf(0); end !== -1; at = end + 1, end = line.indexOf(0, at))
    found.push(line.subarray(at, end));
  return found;
}

function workingFolder(): string {
  const folder = process.cwd();
  if (!folder.includes(LOST) || process.platform !== "linux") return folder;
  return escapePath(readlinkSync("/proc/self/cwd", { encoding: "buffer" }));
}
