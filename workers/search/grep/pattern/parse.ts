import { complement, difference, type CharSet } from "./char-set.ts";
import { parseClass } from "./parse-class.ts";
import { parseEscape } from "./parse-escape.ts";
import { PatternReader, type ClassSize } from "./pattern-reader.ts";
import { EMPTY, invalid, type Look, type Node } from "./syntax.ts";
import { foldCase } from "./unicode-sets.ts";

export interface Parsed {
  readonly node: Node;
  /** The pattern names characters, and one of them is a capital: what smart case asks. */
  readonly hasLiteral: boolean;
  readonly hasCapital: boolean;
}

interface Flags {
  readonly ignoreCase: boolean;
  readonly swapGreed: boolean;
  readonly verbose: boolean;
}

const LINE_END: CharSet = [0x0a, 0x0a];
const ANY_IN_LINE = complement(LINE_END);
const MAX_DEPTH = 50;
/** Of a counted repetition. */
const MAX_COUNT = 1000;

/**
 * Reads a regular expression in the syntax of RE2 and Rust's regex, which linear time allows: no look-around and no
 * back-references. `^` and `$` bind to the line and nothing matches its end. Throws PATTERN_INVALID.
 */
export function parsePattern(pattern: string, ignoreCase: boolean, size: ClassSize): Parsed {
  const reader = new PatternReader(pattern, size);
  const parser = new Parser(reader, { ignoreCase, swapGreed: false, verbose: false });
  const node = parser.alternatives(0);
  if (!reader.done) throw invalid("there is a ) without its (");
  return { node, hasLiteral: reader.hasLiteral, hasCapital: reader.hasCapital };
}

/** A text that stands for itself. Throws PATTERN_INVALID when it holds a line's end. */
export function parseLiteral(text: string, ignoreCase: boolean, size: ClassSize): Parsed {
  const reader = new PatternReader(text, size);
  const nodes: Node[] = [];
  while (!reader.done) nodes.push(oneOf([reader.literal(reader.next())], ignoreCase));
  const { hasLiteral, hasCapital } = reader;
  return { node: { kind: "concat", nodes }, hasLiteral, hasCapital };
}

class Parser {
  readonly #reader: PatternReader;
  #flags: Flags;

  constructor(reader: PatternReader, flags: Flags) {
    this.#reader = reader;
    this.#flags = flags;
  }

  /** Up to the end or a closing parenthesis. */
  alternatives(depth: number): Node {
    if (depth > MAX_DEPTH) throw invalid("the pattern is nested too deep");
    const choices: Node[] = [];
    do choices.push(this.#sequence(depth));
    while (this.#reader.take("|"));
    return choices.length === 1 ? choices[0]! : { kind: "alternate", nodes: choices };
  }

  #sequence(depth: number): Node {
    const nodes: Node[] = [];
    for (;;) {
      if (this.#flags.verbose) this.#skipSpace();
      const next = this.#reader.peek();
      if (next === "" || next === "|" || next === ")") break;
      const node = this.#quantified(depth);
      if (node) nodes.push(node);
    }
    return nodes.length === 1 ? nodes[0]! : { kind: "concat", nodes };
  }

  /** Null for flags alone, which hold for what follows. */
  #quantified(depth: number): Node | null {
    let node = this.#atom(depth);
    for (;;) {
      if (this.#flags.verbose) this.#skipSpace();
      const range = this.#range();
      if (range === null) return node;
      if (node === null) throw invalid("there is nothing to repeat before a quantifier");
      const lazy = this.#reader.take("?");
      node = { kind: "repeat", node, ...range, greedy: lazy === this.#flags.swapGreed };
    }
  }

  #range(): { min: number; max: number } | null {
    const reader = this.#reader;
    if (reader.take("*")) return { min: 0, max: Infinity };
    if (reader.take("+")) return { min: 1, max: Infinity };
    if (reader.take("?")) return { min: 0, max: 1 };
    if (!reader.take("{")) return null;
    const inside = reader.until("}", "{");
    const counts = /^\s*(\d{1,6})\s*(?:(,)\s*(\d{1,6})?\s*)?$/.exec(inside);
    if (!counts)
      throw invalid(`{${inside}} is no count: write {2}, {2,} or {2,5}, or \\{ for the brace itself`);
    const min = Number(counts[1]);
    const max = counts[3] !== undefined ? Number(counts[3]) : counts[2] === "," ? Infinity : min;
    if (max < min) throw invalid(`{${inside}} ends before it begins`);
    if (min > MAX_COUNT || (max !== Infinity && max > MAX_COUNT))
      throw invalid(`{${inside}} is too large: ${MAX_COUNT} times at most`);
    return { min, max };
  }

  #atom(depth: number): Node | null {
    const reader = this.#reader;
    const point = reader.next();
    switch (point) {
      case "(":
        return this.#group(depth);
      case "[":
        return inLine(parseClass(reader, this.#flags.ignoreCase));
      case ".":
        return { kind: "set", set: ANY_IN_LINE };
      case "^":
        return { kind: "look", look: "lineStart" };
      case "$":
        return { kind: "look", look: "lineEnd" };
      case "\\":
        return this.#escape();
      case "*":
      case "+":
      case "?":
      case "{":
        throw invalid(`there is nothing to repeat before ${point}`);
      default:
        return oneOf([reader.literal(point)], this.#flags.ignoreCase);
    }
  }

  #escape(): Node {
    const look = LOOKS[this.#reader.peek()];
    if (look !== undefined) {
      this.#reader.next();
      return { kind: "look", look };
    }
    const escaped = parseEscape(this.#reader, this.#flags.ignoreCase);
    if ("set" in escaped) return inLine(escaped.set);
    return oneOf([this.#reader.literal(escaped.point)], this.#flags.ignoreCase);
  }

  #group(depth: number): Node | null {
    const reader = this.#reader;
    const outer = this.#flags;
    if (reader.take("?")) {
      for (const sign of ["=", "!", "<=", "<!"]) {
        if (reader.take(sign)) throw invalid("look-around such as (?=…) is not taken");
      }
      if (reader.take("P<") || reader.take("<")) this.#groupName();
      else if (this.#takeFlags()) return null;
    }
    const node = this.alternatives(depth + 1);
    if (!reader.take(")")) throw invalid("a group is not closed: ) is missing");
    this.#flags = outer;
    return node;
  }

  #groupName(): void {
    const name = this.#reader.until(">", "a group's name");
    if (!/^[A-Za-z_][\w.[\]]*$/.test(name)) throw invalid(`${JSON.stringify(name)} is no name of a group`);
  }

  /** `i)` holds to the end of the group around it: true. `i:` opens a group: false. */
  #takeFlags(): boolean {
    let on = true;
    for (;;) {
      const letter = this.#reader.next();
      switch (letter) {
        case ")":
          return true;
        case ":":
          return false;
        case "-":
          on = false;
          break;
        case "i":
          this.#flags = { ...this.#flags, ignoreCase: on };
          break;
        case "U":
          this.#flags = { ...this.#flags, swapGreed: on };
          break;
        case "x":
          this.#flags = { ...this.#flags, verbose: on };
          break;
        // The line is all that is looked at: with them and without them `.` stays in it, and ^ and $ bind to it.
        case "m":
        case "s":
          break;
        case "u":
          if (on) break;
          throw invalid("the flag u can't be turned off: text is Unicode");
        default:
          throw invalid(`(?${letter} has no meaning`);
      }
    }
  }

  #skipSpace(): void {
    for (;;) {
      if (/^\s$/.test(this.#reader.peek())) this.#reader.next();
      else if (this.#reader.take("#")) while (!this.#reader.done && this.#reader.next() !== "\n");
      else return;
    }
  }
}

const LOOKS: Readonly<Record<string, Look>> = {
  b: "boundary",
  B: "noBoundary",
  A: "lineStart",
  z: "lineEnd",
};

function oneOf(points: readonly number[], ignoreCase: boolean): Node {
  const set = points.flatMap((point) => [point, point]);
  return { kind: "set", set: ignoreCase ? foldCase(set) : set };
}

function inLine(set: CharSet): Node {
  return { kind: "set", set: difference(set, LINE_END) };
}

/** Of several patterns any may match; of two at the same place the first is preferred. */
export function anyOf(nodes: readonly Node[]): Node {
  return nodes.length === 1 ? (nodes[0] ?? EMPTY) : { kind: "alternate", nodes };
}
