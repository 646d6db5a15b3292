import ignore, { type Ignore } from "ignore";

/** Gitignore patterns, each set below the folder it was written in; the last one that matches decides. */
export interface PatternSet {
  /** Path below the root. Asked for a folder's entries only after the folder itself was found to be taken. */
  matches(path: string, isDirectory: boolean): boolean;
  /** This set's patterns, then those of a file in `folder`. */
  with(folder: string, text: string): PatternSet;
}

// The library remembers every path that it was asked for.
const MAX_REMEMBERED = 10_000;
/** Each `**` of a pattern multiplies the time of a match by the depth of the path: with 14 one match takes half a minute. */
const MAX_DOUBLE_STARS = 3;
const IGNORE_CASE = process.platform !== "linux";

export function createPatternSet(patterns: readonly string[]): PatternSet {
  return patternSet(ignore({ ignorecase: IGNORE_CASE }).add([...patterns]));
}

function patternSet(initial: Ignore): PatternSet {
  let matcher = initial;
  let asked = 0;
  return {
    matches(path, isDirectory) {
      if (++asked > MAX_REMEMBERED) {
        matcher = copyOf(matcher);
        asked = 0;
      }
      return matcher.ignores(isDirectory ? `${path}/` : path);
    },
    with: (folder, text) => patternSet(copyOf(matcher).add(patternsBelow(folder, text))),
  };
}

function copyOf(matcher: Ignore): Ignore {
  return ignore({ ignorecase: IGNORE_CASE }).add(matcher);
}

/**
 * The patterns of an ignore file in `folder`, written as if they stood in the root's: one list in which a deeper file comes
 * later gives git's order of precedence, and git's rule that nothing below a folder that is left out can be taken again.
 */
export function patternsBelow(folder: string, text: string): string[] {
  const lines = linesOf(text).filter((line) => !isCostly(line));
  if (folder === "") return lines;
  const prefix = `/${folder.replace(/[\\*?[\]]/g, "\\$&")}`;
  return lines.flatMap((line) => {
    if (line === "" || line.startsWith("#")) return [];
    const negated = line.startsWith("!");
    const pattern = withoutTrailingSpaces(negated ? line.slice(1) : line);
    if (/^\/*$/.test(pattern)) return [];
    const anchored = pattern.slice(0, -1).includes("/");
    const below = anchored
      ? `${prefix}${pattern.startsWith("/") ? "" : "/"}${pattern}`
      : `${prefix}/**/${pattern}`;
    return [negated ? `!${below}` : below];
  });
}

/** Patterns of an ignore file that are left out, since asking them could take for ever. */
export function costlyPatterns(text: string): string[] {
  return linesOf(text).filter((line) => isCostly(line) && !line.startsWith("#"));
}

function linesOf(text: string): string[] {
  return text.replace(/^\uFEFF/, "").split(/\r?\n/);
}

function isCostly(line: string): boolean {
  return (line.match(/\*{2,}/g)?.length ?? 0) > MAX_DOUBLE_STARS;
}

/** A space counts when a backslash stands before it. */
function withoutTrailingSpaces(pattern: string): string {
  let end = pattern.length;
  while (end > 0 && pattern[end - 1] === " " && !isEscaped(pattern, end - 1)) end--;
  return pattern.slice(0, end);
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - backslashes - 1] === "\\") backslashes++;
  return backslashes % 2 === 1;
}
