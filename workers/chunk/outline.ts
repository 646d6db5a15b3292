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

/** `bodyStart`: where front matter ends; what stands before it has no headings. `given` headings replace those found. */
export function outlineOf(
  text: string,
  markup: Markup,
  bodyStart = 0,
  given: readonly OutlineEntry[] | null = null,
): Outline {
  const starts = lineStarts(text);
  const found = structureOf(text, markup, bodyStart, starts);
  const structure = given === null ? found : { ...found, headings: given };
  const scores = plainScores(text, starts);
  for (const line of structure.listItems) raise(scores, line, SCORE.item);
  for (const line of structure.rules) raise(scores, line, SCORE.rule);
  for (const [first, after] of structure.fences) {
    raise(scores, first, SCORE.fence);
    raise(scores, after, SCORE.fence);
  }
  for (const { line, level } of structure.headings)
    raise(scores, line, SCORE.heading[level - 1] ?? SCORE.line);
  for (const [first, after] of structure.fences) scores.fill(0, first + 1, after);
  const offset = (line: number): number => (line < starts.length ? (starts[line] ?? 0) : text.length);
  return {
    lineStarts: starts,
    scores,
    headings: structure.headings.map(({ line, level, text }) => ({ start: offset(line), level, text })),
    fences: structure.fences.map(([first, after]) => ({ start: offset(first), end: offset(after) })),
  };
}

function structureOf(text: string, markup: Markup, bodyStart: number, starts: Uint32Array): LineStructure {
  if (markup === "markdown") return markdownStructure(text, starts, bodyStart);
  const headings = markup === "plain" ? underlinedHeadings(text, starts) : [];
  return { headings, fences: [], rules: [], listItems: [] };
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
