import type { Markup, OutlineEntry } from "../parse/reader.ts";
import type { LineStructure } from "./line-structure.ts";
import { lineStarts } from "./lines.ts";
import { markdownStructure } from "./markdown/structure.ts";
import { underlinedHeadings } from "./underlined-headings.ts";

export interface Heading {
  /** Offset of its line. */
  readonly start: number;
  /** 1 is the outermost. */
  readonly level: number;
  readonly text: string;
  /** Where what it stands above ends; null where that is told by the next heading of its level or above. */
  readonly end: number | null;
}

/** [start, end) that is not to be cut: a code fence with its two lines. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What the chunker knows of a text's build. */
export interface Outline {
  readonly lineStarts: Uint32Array;
  /** For each line, how good a cut before it is; 0 is none. */
  readonly scores: Uint8Array;
  /** In their order. */
  readonly headings: readonly Heading[];
  readonly fences: readonly Span[];
  /** What is kept in one chunk where it fits, as tables and functions; a span comes before those inside it. */
  readonly wholes: readonly Span[];
  /** Where a cut inside a line is to be avoided. */
  readonly lineRanges: readonly LineRange[];
}

/** A text of rows or of code. Its head (the header of a table) counts as one line. */
export interface LineRange extends Span {
  readonly headEnd: number;
}

/** How good a cut in front of a line is (K7.2). */
export const SCORE = {
  heading: [100, 90, 80, 70, 60, 50],
  fence: 80,
  rule: 60,
  blank: 20,
  item: 5,
  line: 1,
} as const;

/** A table's names of columns and the row of dashes under them. */
const HEADER_LINES = 2;

/** `bodyStart`: where front matter ends; what stands before it has no headings. `given` headings replace those found. */
export function outlineOf(
  text: string,
  markup: Markup,
  bodyStart = 0,
  given: readonly OutlineEntry[] | null = null,
): Outline {
  const starts = lineStarts(text);
  const found = structureOf(text, markup, bodyStart, starts);
  const headings: readonly OutlineEntry[] = given ?? found.headings;
  const scores = plainScores(text, starts);
  for (const line of found.listItems) raise(scores, line, SCORE.item);
  for (const line of found.rules) raise(scores, line, SCORE.rule);
  for (const [first, after] of found.fences) {
    raise(scores, first, SCORE.fence);
    raise(scores, after, SCORE.fence);
  }
  for (const { line, level } of headings) raise(scores, line, SCORE.heading[level - 1] ?? SCORE.line);
  for (const [first, after] of found.fences) scores.fill(0, first + 1, after);
  // No cut between a table's header and its first row.
  for (const [first, after] of found.tables)
    scores.fill(0, first + 1, Math.min(first + HEADER_LINES + 1, after));
  const offset = (line: number): number => (line < starts.length ? (starts[line] ?? 0) : text.length);
  const span = (first: number, after: number): Span => ({ start: offset(first), end: offset(after) });
  const tables = found.tables.map(([first, after]) => ({
    ...span(first, after),
    headEnd: offset(Math.min(first + HEADER_LINES + 1, after)),
  }));
  return {
    lineStarts: starts,
    scores,
    headings: headings.map(({ line, level, text, endLine }) => ({
      start: offset(line),
      level,
      text,
      end: endLine === undefined ? null : offset(endLine),
    })),
    fences: found.fences.map(([first, after]) => span(first, after)),
    wholes: headings
      .flatMap(({ line, endLine }) => (endLine === undefined ? [] : [span(line, endLine)]))
      .concat(tables),
    lineRanges:
      markup === "code" || markup === "table" ? [{ start: 0, end: text.length, headEnd: 0 }] : tables,
  };
}

function structureOf(text: string, markup: Markup, bodyStart: number, starts: Uint32Array): LineStructure {
  if (markup === "markdown") return markdownStructure(text, starts, bodyStart);
  const headings = markup === "plain" ? underlinedHeadings(text, starts) : [];
  return { headings, fences: [], rules: [], listItems: [], tables: [] };
}

/** Line ends and, better, the ends of blank lines. */
function plainScores(text: string, starts: Uint32Array): Uint8Array {
  const scores = new Uint8Array(starts.length).fill(SCORE.line);
  scores[0] = 0;
  for (let line = 1; line < starts.length; line++) {
    if (isBlankLine(text, starts, line - 1)) scores[line] = SCORE.blank;
  }
  return scores;
}

function isBlankLine(text: string, starts: Uint32Array, line: number): boolean {
  const end = starts[line + 1] ?? text.length;
  for (let at = starts[line] ?? 0; at < end; at++) if (text.charCodeAt(at) > 32) return false;
  return true;
}

function raise(scores: Uint8Array, line: number, score: number): void {
  if (line > 0 && line < scores.length && (scores[line] ?? 0) < score) scores[line] = score;
}
