import type { PatternOptions } from "../../workers/search/contract.ts";
import { compileLinePattern, type Line, type Steps } from "../../workers/search/grep/line-pattern.ts";

/** The matches of a pattern in a text, by line: [start, end) each. */
export function findLines(text: string, pattern: string, over: Partial<PatternOptions> = {}) {
  const compiled = compileLinePattern({
    patterns: [pattern],
    literal: false,
    caseSensitive: true,
    word: false,
    wholeLine: false,
    invert: false,
    ...over,
  });
  return all(compiled.lines(text, 0)).map((line) => ({
    line,
    matches: all(compiled.matches(text, line, line.start)),
  }));
}

/** The texts of all matches. */
export function matchedTexts(text: string, pattern: string, over: Partial<PatternOptions> = {}): string[] {
  return findLines(text, pattern, over).flatMap(({ matches }) =>
    matches.map(({ start, end }) => text.slice(start, end)),
  );
}

function all(steps: Steps<Line>): Line[] {
  return [...steps].filter((step) => step !== null);
}
