import type { LineMatch } from "../contract.ts";
import { createEscapeKernel, type EscapeKernel } from "../kernel/escape-kernel.ts";
import type { LineColumns } from "./told-lines.ts";

/**
 * What is found as JSON in UTF-8, with a character for each byte: as a string it goes on to the caller for a few copies,
 * where buffers would be counted by the collector, which goes through all of the heap for every 64 MB of them.
 */
export function matchesJson(matches: readonly LineMatch[]): string {
  return Buffer.from(JSON.stringify(matches)).toString("latin1");
}

let escape: EscapeKernel | null = null;

export function linesJson({ line, texts }: LineColumns): string {
  escape ??= createEscapeKernel();
  return `{"line":[${line.join()}],"texts":"${escape(texts)}"}`;
}
