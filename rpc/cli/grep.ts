import type { GrepPart, LeanMatches, LineMatch } from "../contract/grep.ts";
import { MAX_STREAMED } from "../contract/grep-limits.ts";
import type { ParamsInput } from "../contract/index.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import { harmless, out, paint, paintError, printJson, shownName, shownPath } from "./print.ts";
import { basesNamed, withClient, type GlobalFlags } from "./session.ts";

export interface GrepFlags extends GlobalFlags {
  readonly regexp?: string[] | undefined;
  readonly base?: string[] | undefined;
  readonly glob?: string[] | undefined;
  readonly type?: string[] | undefined;
  readonly fixed?: boolean | undefined;
  readonly word?: boolean | undefined;
  readonly line?: boolean | undefined;
  readonly ignoreCase?: boolean | undefined;
  readonly caseSensitive?: boolean | undefined;
  readonly invertMatch?: boolean | undefined;
  readonly after?: number | undefined;
  readonly before?: number | undefined;
  readonly context?: number | undefined;
  readonly onlyMatching?: boolean | undefined;
  readonly count?: boolean | undefined;
  readonly files?: boolean | undefined;
  readonly maxCount?: number | undefined;
  readonly limit?: number | undefined;
}

/** For as long a terminal is waited at: a minute is the most that a call may ask for. */
const DEADLINE_MS = 60_000;

/**
 * Prints matching lines as `path:line:text`, and lines around them as `path-line-text`, as they are found. Answers the exit
 * code: 4 when nothing matched. Whoever ends the command, or closes its output, ends the search.
 */
export async function grep(pattern: string | undefined, flags: GrepFlags): Promise<number> {
  const params = paramsOf(pattern, flags);
  return await withClient(flags, async (client) => {
    const bases = await basesNamed(client, flags.base);
    const scoped = { ...params, ...(bases && { baseIds: bases.map((base) => base.id) }) };
    if (flags.json) {
      const result = await client.call("kb.grep", scoped);
      printJson(result);
      return result.matches.length + (result.files?.length ?? 0) > 0 ? EXIT.done : EXIT.notFound;
    }
    const print = printer(flags);
    const lean = !hasContext(flags);
    const streamed = { limit: MAX_STREAMED, ...scoped, stream: true, lean, deadlineMs: DEADLINE_MS };
    const result = await client.call("kb.grep", streamed, { onProgress: ({ part }) => part && print(part) });
    for (const warning of result.warnings)
      process.stderr.write(paintError.yellow(`! ${shownName(warning)}\n`));
    if (result.truncated) process.stderr.write(paintError.dim("there are more matches: raise --limit\n"));
    return (result.streamed ?? 0) > 0 ? EXIT.done : EXIT.notFound;
  });
}

function hasContext({ before, after, context }: GrepFlags): boolean {
  return (before ?? context ?? 0) + (after ?? context ?? 0) > 0;
}

function paramsOf(argument: string | undefined, flags: GrepFlags): ParamsInput<"kb.grep"> {
  const given = [...(argument === undefined ? [] : [argument]), ...(flags.regexp ?? [])];
  const [pattern, ...patterns] = given;
  if (pattern === undefined) throw new CommandFailure(EXIT.usage, "there is no pattern to look for");
  const before = flags.before ?? flags.context;
  const after = flags.after ?? flags.context;
  return {
    pattern,
    ...(patterns.length > 0 && { patterns }),
    ...(flags.glob && { glob: flags.glob }),
    ...(flags.type && { types: flags.type }),
    ...(flags.fixed && { literal: true }),
    ...(flags.word && { word: true }),
    ...(flags.line && { wholeLine: true }),
    ...(flags.invertMatch && { invert: true }),
    ...(flags.ignoreCase && { caseSensitive: false }),
    ...(flags.caseSensitive && { caseSensitive: true }),
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
    ...(flags.maxCount !== undefined && { maxCount: flags.maxCount }),
    ...(flags.limit !== undefined && { limit: flags.limit }),
    perLine: flags.onlyMatching !== true,
    output: flags.files ? "documents" : flags.count ? "counts" : "matches",
  };
}

/** All lines of a document at once: one by one they would take longer to print than to find. */
function printLean(place: string, { line, texts }: LeanMatches): void {
  const lines = harmless(texts).split("\n");
  out(lines.map((text, at) => `${place}:${paint.green(String(line[at]))}:${text}`).join("\n"));
}

/** Prints what is found as it comes; what stands between two parts is known to it. */
function printer(flags: GrepFlags): (part: GrepPart) => void {
  let last: { itemId: string; line: number } | null = null;

  function printMatch(itemId: string, place: string, match: LineMatch): void {
    const { linesBefore = [], linesAfter = [], line } = match;
    const first = line - linesBefore.length;
    // As between files, a rule stands where lines were left out.
    if (last && (last.itemId !== itemId || first > last.line + 1)) out(paint.cyan("--"));
    const around = (text: string, at: number) => `${place}-${paint.green(String(at))}-${harmless(text)}`;
    const text = flags.onlyMatching ? match.match : match.lineText;
    const lines = [
      ...linesBefore.map((before, at) => around(before, first + at)),
      `${place}:${paint.green(String(line))}:${harmless(text)}`,
      ...linesAfter.map((behind, at) => around(behind, line + 1 + at)),
    ];
    out(lines.join("\n"));
    last = { itemId, line: line + linesAfter.length };
  }

  return ({ documents }) => {
    for (const { itemId, path, conceptId, lines, matches, lean } of documents) {
      const place = paint.magenta(path === null ? shownName(conceptId) : shownPath(path));
      if (flags.files) out(place);
      else if (flags.count) out(`${place}:${paint.green(String(lines))}`);
      else if (lean) printLean(place, lean);
      else for (const match of matches) printMatch(itemId, place, match);
    }
  };
}
