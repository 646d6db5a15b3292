import type { LineMatch } from "./contract.ts";

/**
 * Matches field by field: thousands of small objects cost several times as much on their way between processes, as the name
 * of each field travels with each.
 */
export type MatchColumns = { readonly [Field in keyof LineMatch]: LineMatch[Field][] };

/** What a lean look tells: line numbers, and of each line a text, all in one string as it travels and is printed fastest. */
export interface LineColumns {
  readonly line: readonly number[];
  /** As many as numbers, each ended by \n but for the last. */
  readonly texts: string;
}

export function packMatches(matches: readonly LineMatch[]): MatchColumns {
  const hasContext = matches.some((match) => match.linesBefore ?? match.linesAfter);
  return {
    line: matches.map((match) => match.line),
    charStart: matches.map((match) => match.charStart),
    charEnd: matches.map((match) => match.charEnd),
    match: matches.map((match) => match.match),
    before: matches.map((match) => match.before),
    after: matches.map((match) => match.after),
    lineText: matches.map((match) => match.lineText),
    ...(hasContext && {
      linesBefore: matches.map((match) => match.linesBefore),
      linesAfter: matches.map((match) => match.linesAfter),
    }),
  };
}

export function unpackMatches(columns: MatchColumns): LineMatch[] {
  return columns.line.map((line, at) => {
    const [linesBefore, linesAfter] = [columns.linesBefore?.[at], columns.linesAfter?.[at]];
    return {
      line,
      charStart: columns.charStart[at]!,
      charEnd: columns.charEnd[at]!,
      before: columns.before[at]!,
      match: columns.match[at]!,
      after: columns.after[at]!,
      lineText: columns.lineText[at]!,
      ...(linesBefore && { linesBefore }),
      ...(linesAfter && { linesAfter }),
    };
  });
}
