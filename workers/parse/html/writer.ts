/**
 * Builds Markdown block by block. Inline text is collected with its white space collapsed; the end of a block writes it
 * out behind the marks of the quotes and lists around it.
 */
export interface MarkdownWriter {
  /** What addresses of links and images are relative to; null leaves these out of the text. */
  readonly base: string | null;
  /** Inline text; runs of white space become one space. */
  text(text: string): void;
  lineBreak(): void;
  /** Ends the open block; the next is parted from it by a blank line. */
  endBlock(): void;
  /** A block of its own, written as it is. */
  block(lines: readonly string[]): void;
  /** What `fill` writes stands behind `mark`, or behind `rest` from its second line on. `tight`: no blank line before it. */
  marked(mark: string, rest: string, tight: boolean, fill: () => void): void;
  /** What `fill` writes, as one line that is given back instead of written. */
  capture(fill: () => void): string;
  result(): string;
}

/** Lines that Markdown would take for something else than text. */
const syntax = /^(?:#{1,6}(?:\s|$)|`{3}|~{3}|>|(?:[-*_]\s*){3,}$|=+\s*$|[-*+]\s|\d{1,9}[.)]\s)/;

const softBreak = /[\u00AD\u200B]/;

interface Mark {
  next: string;
  readonly rest: string;
}

export function createMarkdownWriter(base: string | null = null): MarkdownWriter {
  return new LineWriter(base);
}

class LineWriter implements MarkdownWriter {
  readonly base: string | null;
  readonly #lines: string[] = [];
  readonly #marks: Mark[] = [];
  #inline: string[] = [];
  #captures = 0;
  /** The next block is parted from what stands before it. */
  #apart = false;

  constructor(base: string | null) {
    this.base = base;
  }

  text(text: string): void {
    const line = text.includes("\n") ? text.replaceAll("\n", " ") : text;
    // Where a word may be broken is no part of it.
    this.#inline.push(softBreak.test(line) ? line.replaceAll(/[\u00AD\u200B]/g, "") : line);
  }

  lineBreak(): void {
    this.#inline.push("\n");
  }

  endBlock(): void {
    if (this.#captures > 0) {
      this.#inline.push("\n");
    } else if (this.#inline.length > 0) {
      const lines = inlineLines(this.#inline);
      this.#inline = [];
      this.#write(lines.map((line) => (syntax.test(line) ? `\\${line}` : line)));
    }
  }

  block(lines: readonly string[]): void {
    this.endBlock();
    if (this.#captures > 0) this.#inline.push(lines.join("\n"), "\n");
    else this.#write(lines);
  }

  marked(mark: string, rest: string, tight: boolean, fill: () => void): void {
    this.endBlock();
    if (this.#captures > 0) {
      fill();
      this.endBlock();
      return;
    }
    if (tight) this.#apart = false;
    this.#part();
    this.#marks.push({ next: mark, rest });
    fill();
    this.endBlock();
    this.#marks.pop();
    this.#apart = this.#lines.length > 0;
  }

  capture(fill: () => void): string {
    const outer = this.#inline;
    this.#inline = [];
    this.#captures++;
    fill();
    this.#captures--;
    const text = inlineLines(this.#inline).join(" ");
    this.#inline = outer;
    return text;
  }

  result(): string {
    this.endBlock();
    return this.#lines.length === 0 ? "" : `${this.#lines.join("\n").trim()}\n`;
  }

  #part(): void {
    if (this.#apart) this.#lines.push(linePrefix(this.#marks, "rest").trimEnd());
    this.#apart = false;
  }

  #write(lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#part();
    for (const line of lines) {
      this.#lines.push(`${linePrefix(this.#marks, "next")}${line}`.trimEnd());
      for (const mark of this.#marks) mark.next = mark.rest;
    }
    this.#apart = true;
  }
}

function linePrefix(marks: readonly Mark[], which: "next" | "rest"): string {
  let prefix = "";
  for (const mark of marks) prefix += mark[which];
  return prefix;
}

/** Not the single spaces, which are many: each match costs memory. */
const whiteRun = /[^\S\n ][^\S\n]*| [^\S\n]+/g;

/** One space for runs of white space; empty lines are left out. Linear for runs of any length. */
function inlineLines(inline: readonly string[]): string[] {
  const text = inline.join("").replaceAll(whiteRun, " ");
  if (!text.includes("\n")) return text.trim() === "" ? [] : [text.trim()];
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
