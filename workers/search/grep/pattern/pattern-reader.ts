import type { CharSet } from "./char-set.ts";
import { invalid } from "./syntax.ts";

/** \w has 770 of them; a range takes up to three microseconds. */
const MAX_RANGES = 50_000;

/** Ranges of all classes of characters in patterns that are read together, so far. */
export interface ClassSize {
  ranges: number;
}

/** A pattern's characters, one after the other, and what reading them has shown so far. */
export class PatternReader {
  readonly #points: readonly string[];
  #at = 0;
  /** What smart case asks: whether the pattern names characters, and whether one is a capital. */
  hasLiteral = false;
  hasCapital = false;
  readonly #size: ClassSize;

  constructor(pattern: string, size: ClassSize) {
    this.#size = size;
    this.#points = Array.from(pattern);
  }

  get done(): boolean {
    return this.#at >= this.#points.length;
  }

  /** The next character, or one behind it; "" past the end. */
  peek(ahead = 0): string {
    return this.#points[this.#at + ahead] ?? "";
  }

  /** Takes the text if it comes next. */
  take(text: string): boolean {
    const points = Array.from(text);
    if (!points.every((point, ahead) => this.peek(ahead) === point)) return false;
    this.#at += points.length;
    return true;
  }

  next(): string {
    if (this.done) throw invalid("the pattern ends too early");
    return this.#points[this.#at++]!;
  }

  /** All up to the text, which is taken too. */
  until(text: string, what: string): string {
    let taken = "";
    while (!this.take(text)) {
      if (this.done) throw invalid(`${what} is not closed: ${text} is missing`);
      taken += this.next();
    }
    return taken;
  }

  /** A class that the pattern names. Throws when they are too large together: each range is worked on several times. */
  counted(set: CharSet): CharSet {
    this.#size.ranges += set.length / 2;
    if (this.#size.ranges > MAX_RANGES) throw invalid("the pattern has too many large classes of characters");
    return set;
  }

  /** A character that the pattern names. Throws for the end of a line, which no match holds. */
  literal(point: string): number {
    if (point === "\n") throw invalid("a pattern can't hold a line's end: it is matched line by line");
    this.hasLiteral = true;
    if (/\p{Uppercase}/u.test(point)) this.hasCapital = true;
    return point.codePointAt(0)!;
  }
}
