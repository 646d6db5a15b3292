import { TaskError } from "../host-loop.ts";
import type { LineMatch, PatternOptions } from "./contract.ts";

/** Characters of a line that a regular expression is tried on, and that are shown of it. */
const MAX_LINE = 2000;
/** Characters shown on either side of a match. */
const BESIDE = 60;

export interface LinePattern {
  /** The matches of a text in their order, `limit` at most. `^` and `$` bind to the line; a line never ends in \r. */
  find(text: string, limit: number): LineMatch[];
}

/** Throws PATTERN_INVALID. */
export function compileLinePattern(options: PatternOptions): LinePattern {
  const { pattern, literal, word } = options;
  const source = literal ? escape(pattern) : pattern;
  const whole = word ? `(?<![\\p{L}\\p{N}_])(?:${source})(?![\\p{L}\\p{N}_])` : source;
  const flags = options.caseSensitive ? "g" : "gi";
  const onLine = compile(whole, flags, word);
  const needle = literal ? pattern : requiredLiteral(pattern);
  const seek = seeker(needle, options.caseSensitive);
  return {
    find(text, limit) {
      const found: LineMatch[] = [];
      const lines = createLineCounter(text);
      for (let at = seek(text, 0); at >= 0 && found.length < limit;) {
        // lastIndexOf takes a place before the text for its first one.
        const start = at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
        const end = lineEnd(text, at);
        const line = text.slice(start, end > start && text[end - 1] === "\r" ? end - 1 : end);
        const tried = literal ? line : line.slice(0, MAX_LINE);
        for (const [from, to] of matchesOf(onLine, tried, limit - found.length)) {
          found.push(describe(line, start, lines.lineAt(start), from, to));
        }
        at = end < text.length ? seek(text, end + 1) : -1;
      }
      return found;
    },
  };
}

function compile(source: string, flags: string, needsUnicode: boolean): RegExp {
  try {
    return new RegExp(source, `${flags}u`);
  } catch (strict) {
    // The u flag refuses escapes such as \- that people write by habit.
    try {
      if (!needsUnicode) return new RegExp(source, flags);
    } catch (error) {
      throw invalid(error);
    }
    throw invalid(strict);
  }
}

function invalid(error: unknown): TaskError {
  return new TaskError("PATTERN_INVALID", error instanceof Error ? error.message : String(error), error);
}

function escape(literal: string): string {
  return literal.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

/**
 * A literal that every match has to hold, or "" when none is plain to see: the longest run without a special character
 * in a pattern without groups and alternatives.
 */
export function requiredLiteral(pattern: string): string {
  const plain = pattern.replace(/\\[()|[\]{}\\]/g, "\\.");
  if (/[()|[\]]|\\[^wWdDsSbB.*+?^$/-]/.test(plain)) return "";
  let longest = "";
  for (const run of plain.split(/(?:\\.|[^\\])(?:[?*+]|\{[^}]*\})\??|\\.|[.^$]/u)) {
    if (run.length > longest.length) longest = run;
  }
  return /[\\*+?{}]/.test(longest) ? "" : longest;
}

/** Where the next line that may match begins or is: at the needle, or at once when there is none. */
function seeker(needle: string, caseSensitive: boolean): (text: string, from: number) => number {
  if (needle === "") return (text, from) => (from < text.length ? from : -1);
  if (caseSensitive) return (text, from) => text.indexOf(needle, from);
  const anyCase = new RegExp(escape(needle), /^[\0-\x7f]*$/.test(needle) ? "gi" : "giu");
  return (text, from) => {
    anyCase.lastIndex = from;
    return anyCase.exec(text)?.index ?? -1;
  };
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

/** Empty matches count only when the line has no other: `x*` is then one match a line, not one a character. */
function matchesOf(onLine: RegExp, line: string, limit: number): [number, number][] {
  const found: [number, number][] = [];
  let empty: [number, number] | null = null;
  onLine.lastIndex = 0;
  for (let hit = onLine.exec(line); hit; hit = onLine.exec(line)) {
    const end = hit.index + hit[0].length;
    if (end > hit.index) found.push([hit.index, end]);
    else {
      empty ??= [hit.index, end];
      // Into the middle of a surrogate pair the u flag would step back, for ever.
      onLine.lastIndex = end + ((line.codePointAt(end) ?? 0) > 0xffff ? 2 : 1);
    }
    if (found.length >= limit) break;
  }
  return found.length === 0 && empty ? [empty] : found;
}

function describe(line: string, start: number, number: number, from: number, to: number): LineMatch {
  return {
    line: number,
    charStart: start + from,
    charEnd: start + to,
    before: wellFormed(line.slice(Math.max(0, from - BESIDE), from)),
    match: line.slice(from, to),
    after: wellFormed(line.slice(to, to + BESIDE)),
    lineText: wellFormed(line.slice(0, MAX_LINE)),
  };
}

/** Without the half of a surrogate pair that a cut may have left at either end. */
function wellFormed(cut: string): string {
  return cut.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "");
}

/** Counts lines on from the last one that was asked for. */
function createLineCounter(text: string) {
  let line = 1;
  let counted = 0;
  return {
    lineAt(start: number): number {
      for (let at = text.indexOf("\n", counted); at >= 0 && at < start; at = text.indexOf("\n", at + 1)) {
        line++;
        counted = at + 1;
      }
      return line;
    },
  };
}
