import type { PatternOptions } from "../contract.ts";
import { LineWalk } from "./line-walk.ts";
import { createAlphabet } from "./pattern/alphabet.ts";
import { createBackwardDfa, createForwardDfa, type Dfa } from "./pattern/dfa.ts";
import { anyOf, parseLiteral, parsePattern } from "./pattern/parse.ts";
import { prefilterOf, type Prefilter } from "./pattern/prefilter.ts";
import { seekLiteral, type Seek } from "./pattern/seek-literal.ts";
import { compileProgram, type Program } from "./pattern/program.ts";
import type { Node } from "./pattern/syntax.ts";

/** Where a line stands in a text, without its end: [start, end). */
export interface Line {
  readonly start: number;
  readonly end: number;
}

/** `number` counts the text's lines from 1. */
export interface NumberedLine extends Line {
  readonly number: number;
}

/** null: a slice of work is done, nothing came of it yet, and there is more to do. */
export type Steps<T> = Generator<T | null, void, undefined>;

/** Lines that are tried in vain before the clock is looked at. */
const LINES_A_SLICE = 256;

/** Finds lines in texts, in time linear in their length; a pattern is used on one text at a time. */
export interface LinePattern {
  /** The lines from a line's start on that the pattern is found in, or with `invert` the others. */
  lines(text: string, from: number): Steps<NumberedLine>;
  /**
   * The matches in a line from a place on, in their order; with `invert` all of the line. Empty ones count only when the
   * line has no other: then the first of them does.
   */
  matches(text: string, line: Line, from: number): Steps<Line>;
}

/** Throws PATTERN_INVALID. */
export function compileLinePattern(options: PatternOptions): LinePattern {
  const node = asked(options);
  // Refuses a pattern that is too large, before anything else is made of it.
  const program = compileProgram(node, "forwards");
  const prefilter = prefilterOf(node);
  const find = prefilter?.isPattern === true ? exactly(prefilter) : byStates(node, program, prefilter);
  return options.invert ? inverted(find) : find;
}

/** The pattern with what is asked of its case and of what stands around it. */
function asked({ patterns, literal, caseSensitive, word, wholeLine }: PatternOptions): Node {
  const parse = (ignoreCase: boolean) => {
    const size = { ranges: 0 };
    return patterns.map((pattern) => (literal ? parseLiteral : parsePattern)(pattern, ignoreCase, size));
  };
  let parsed = parse(caseSensitive === false);
  const isSmall = parsed.some((one) => one.hasLiteral) && !parsed.some((one) => one.hasCapital);
  if (caseSensitive === null && isSmall) parsed = parse(true);
  const node = anyOf(parsed.map((one) => one.node));
  if (wholeLine) return between({ kind: "look", look: "lineStart" }, node, { kind: "look", look: "lineEnd" });
  if (word) return between({ kind: "look", look: "wordStart" }, node, { kind: "look", look: "wordEnd" });
  return node;
}

function between(before: Node, node: Node, after: Node): Node {
  return { kind: "concat", nodes: [before, node, after] };
}

/** A pattern that is its own prefilter. */
function exactly(prefilter: Prefilter): LinePattern {
  const seek = seeker(prefilter);
  const expression = new RegExp(prefilter.source, "g");
  return {
    *lines(text, from) {
      const walk = new LineWalk(text);
      for (let at = seek(text, from); at >= 0;) {
        walk.moveTo(at);
        yield lineOf(walk);
        at = walk.end < text.length ? seek(text, walk.end + 1) : -1;
      }
    },
    *matches(text, { end }, from) {
      expression.lastIndex = from;
      for (let hit = expression.exec(text); hit && hit.index < end; hit = expression.exec(text))
        yield { start: hit.index, end: hit.index + hit[0].length };
    },
  };
}

function createStates(node: Node, forward: Program): { forward: Dfa; backward: Dfa } {
  const backward = compileProgram(node, "backwards");
  return {
    forward: createForwardDfa({ program: forward, alphabet: createAlphabet(forward) }),
    backward: createBackwardDfa({ program: backward, alphabet: createAlphabet(backward) }),
  };
}

/** Looks where the prefilter finds something, or at all of the text when there is none. */
function byStates(node: Node, program: Program, prefilter: Prefilter | null): LinePattern {
  const { forward, backward } = createStates(node, program);

  function* everywhere(text: string, from: number): Steps<NumberedLine> {
    const walk = new LineWalk(text);
    for (let at = from; at < text.length;) {
      forward.begin(text, at, text.length);
      while (!forward.advance(true)) yield null;
      if (forward.place < 0) return;
      walk.moveTo(forward.place);
      // Behind the last line's end there is no line.
      if (walk.start >= text.length) return;
      yield lineOf(walk);
      at = walk.end + 1;
    }
  }

  function* where(seek: Seek, text: string, from: number): Steps<NumberedLine> {
    let without = 0;
    const walk = new LineWalk(text);
    for (let at = seek(text, from); at >= 0;) {
      walk.moveTo(at);
      forward.begin(text, walk.start, walk.end);
      while (!forward.advance(true)) yield null;
      if (forward.place >= 0) yield lineOf(walk);
      else if (++without % LINES_A_SLICE === 0) yield null;
      at = walk.end < text.length ? seek(text, walk.end + 1) : -1;
    }
  }

  const seek = prefilter && seeker(prefilter);
  return {
    lines: seek ? (text, from) => where(seek, text, from) : everywhere,
    *matches(text, line, from) {
      let empty: Line | null = null;
      let found = from > line.start;
      for (let at = from; at <= line.end;) {
        forward.begin(text, at, line.end);
        while (!forward.advance(false)) yield null;
        const end = forward.place;
        if (end < 0) break;
        backward.begin(text, end, at);
        while (!backward.advance(false)) yield null;
        const start = backward.place;
        if (end > start) {
          found = true;
          yield { start, end };
        } else empty ??= { start, end };
        at = end > start ? end : end + widthAt(text, end);
      }
      if (!found && empty) yield empty;
    },
  };
}

function inverted(pattern: LinePattern): LinePattern {
  return {
    *lines(text, from) {
      const walk = new LineWalk(text);
      walk.moveTo(from);
      let isThere = from < text.length;
      for (const line of pattern.lines(text, from)) {
        if (line === null) {
          yield null;
          continue;
        }
        for (; walk.start < line.start; walk.next()) yield lineOf(walk);
        isThere = walk.next();
      }
      for (; isThere; isThere = walk.next()) yield lineOf(walk);
    },
    *matches(_text, line) {
      yield line;
    },
  };
}

/** As it stands now: the walk goes on. */
function lineOf({ start, end, number }: LineWalk): NumberedLine {
  return { start, end, number };
}

/** The next place at or behind `from` that is in a line which may match; -1 for none. */
function seeker({ literal, source }: Prefilter): Seek {
  if (literal !== null) return seekLiteral(literal);
  const expression = new RegExp(source, "g");
  return (text, from) => {
    expression.lastIndex = from;
    // What it finds lies within one line: its last character is as good a place as its first.
    return expression.test(text) ? expression.lastIndex - 1 : -1;
  };
}

/** The line that a place stands in; at a line's end, the line before it. */
export function lineAround(text: string, at: number): Line {
  // lastIndexOf takes a place before the text for its first one.
  const start = at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
  const end = text.indexOf("\n", at);
  return { start, end: end < 0 ? text.length : end };
}

/** Into the middle of a surrogate pair no match may step. */
function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
