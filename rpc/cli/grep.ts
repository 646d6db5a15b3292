import { EXIT } from "./exit.ts";
import { harmless, out, paint, printJson, shownName, shownPath } from "./print.ts";
import { basesNamed, withClient, type GlobalFlags } from "./session.ts";

export interface GrepFlags extends GlobalFlags {
  readonly base?: string[] | undefined;
  readonly glob?: string | undefined;
  readonly fixed?: boolean | undefined;
  readonly word?: boolean | undefined;
  readonly ignoreCase?: boolean | undefined;
  readonly caseSensitive?: boolean | undefined;
  readonly limit?: number | undefined;
}

/** Prints matching lines as `path:line:text`. Answers the exit code: 4 when nothing matched. */
export async function grep(pattern: string, flags: GrepFlags): Promise<number> {
  return await withClient(flags, async (client) => {
    const bases = await basesNamed(client, flags.base);
    const result = await client.call("kb.grep", {
      pattern,
      ...(bases && { baseIds: bases.map((base) => base.id) }),
      ...(flags.glob !== undefined && { glob: flags.glob }),
      ...(flags.fixed && { literal: true }),
      ...(flags.word && { word: true }),
      ...(flags.ignoreCase && { caseSensitive: false }),
      ...(flags.caseSensitive && { caseSensitive: true }),
      ...(flags.limit !== undefined && { limit: flags.limit }),
    });
    if (flags.json) printJson(result);
    else {
      for (const match of result.matches) {
        const place = match.path === null ? shownName(match.conceptId) : shownPath(match.path);
        out(`${paint.magenta(place)}:${paint.green(String(match.line))}:${harmless(match.lineText)}`);
      }
      for (const warning of result.warnings) process.stderr.write(paint.yellow(`! ${shownName(warning)}\n`));
      if (result.truncated) process.stderr.write(paint.dim("there are more matches: raise --limit\n"));
    }
    return result.matches.length > 0 ? EXIT.done : EXIT.notFound;
  });
}
