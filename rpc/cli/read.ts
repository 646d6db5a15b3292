import path from "node:path";
import { EXIT } from "./exit.ts";
import { harmless, out, paint, printJson } from "./print.ts";
import { basesNamed, withClient, type GlobalFlags } from "./session.ts";

export interface ReadFlags extends GlobalFlags {
  readonly base?: string[] | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly pattern?: string | undefined;
  readonly fixed?: boolean | undefined;
  readonly caseSensitive?: boolean | undefined;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Prints a document's indexed text (or a window of it, or a pattern's matches in it). */
export async function read(target: string, flags: ReadFlags): Promise<number> {
  return await withClient(flags, async (client) => {
    const base = (await basesNamed(client, flags.base))?.[0];
    const named = uuid.test(target)
      ? { itemId: target }
      : base
        ? { baseId: base.id, conceptId: target }
        : { path: path.resolve(target) };
    const result = await client.call("kb.read", {
      ...named,
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
        paint.dim(`… ${end} of ${result.totalChars} characters; go on with --from ${end}\n`),
      );
    }
    return result.matches?.length === 0 ? EXIT.notFound : EXIT.done;
  });
}
