import { existsSync } from "node:fs";
import { displayPath, toSystemPath } from "../../workers/path-bytes.ts";
import type { Client } from "../client.ts";
import { RpcError } from "../client-errors.ts";
import type { ParamsInput, Result } from "../contract/index.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import { harmless, out, paint, paintError, printJson } from "./print.ts";
import { basesNamed, withClient, type GlobalFlags } from "./session.ts";
import { targetOf } from "./target.ts";

export interface ReadFlags extends GlobalFlags {
  readonly base?: string[] | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly pattern?: string | undefined;
  readonly fixed?: boolean | undefined;
  readonly caseSensitive?: boolean | undefined;
}

/** Prints a document's indexed text (or a window of it, or a pattern's matches in it). */
export async function read(target: string, flags: ReadFlags): Promise<number> {
  return await withClient(flags, async (client) => {
    const base = (await basesNamed(client, flags.base))?.[0];
    const result = await readOrExplain(client, target, {
      ...targetOf(target, base),
      ...(flags.from !== undefined && { charStart: flags.from }),
      ...(flags.to !== undefined && { charEnd: flags.to }),
      ...(flags.pattern !== undefined && { pattern: flags.pattern, limit: 200 }),
      ...(flags.fixed && { literal: true }),
      ...(flags.caseSensitive && { caseSensitive: true }),
    });
    if (flags.json) {
      printJson(result);
      return EXIT.done;
    }
    for (const match of result.matches ?? []) {
      out(
        `${paint.green(String(match.line))}: ${harmless(match.before)}${paint.bold(paint.yellow(harmless(match.match)))}${harmless(match.after)}`,
      );
    }
    if (result.text !== undefined) out(harmless(result.text));
    if (result.truncated && result.text !== undefined) {
      const end = result.charEnd ?? 0;
      process.stderr.write(
        paintError.dim(`… ${end} of ${result.totalChars} characters; go on with --from ${end}\n`),
      );
    }
    if (result.truncated && result.matches !== undefined)
      process.stderr.write(paintError.dim(`these are the first ${result.matches.length} matches\n`));
    return result.matches?.length === 0 ? EXIT.notFound : EXIT.done;
  });
}

/** A document that is not there may be a file that nobody watches: that is what a person can do something about. */
async function readOrExplain(
  client: Client,
  target: string,
  params: ParamsInput<"kb.read">,
): Promise<Result<"kb.read">> {
  try {
    return await client.call("kb.read", params);
  } catch (error) {
    if (!(error instanceof RpcError) || error.errorName !== "ITEM_NOT_FOUND") throw error;
    const onDisk = params.path !== undefined && existsSync(toSystemPath(params.path));
    throw new CommandFailure(
      EXIT.notFound,
      `nothing indexed stands at ${displayPath(params.path ?? target)}`,
      onDisk
        ? "the file is there, but in no watched folder, or left out of it: knowd watch lists the folders"
        : "knowd ls lists the bases, knowd ls <base> what is in one",
    );
  }
}
