import type { MarkupLines } from "../markup/markup-lines.ts";
import type { LatexFacts } from "./latex-facts.ts";
import type { LatexSource } from "./latex-source.ts";

export interface LatexInput {
  readonly source: LatexSource;
  readonly out: MarkupLines;
  readonly facts: LatexFacts;
  /** The outermost kind of section, and the level its headings have. */
  readonly topRank: number;
  readonly topLevel: number;
}

const MAX_LISTS = 8;

/** The lines that a LaTeX text sets: what is written gathers in an open line until that ends. */
export class LatexOutput {
  readonly input: LatexInput;
  /** A source in the source: a title, or the cell of a table. As one line. */
  readonly inline: (text: string) => string;
  /** Lists that are open: the number of the next item, or null where items have none. */
  readonly lists: (number | null)[] = [];
  #line: string[] = [];
  #holdsText = false;
  #origin = 0;

  constructor(input: LatexInput, inline: (text: string) => string) {
    this.input = input;
    this.inline = inline;
  }

  get isOpen(): boolean {
    return this.#holdsText;
  }

  /** Adds to the open line; line breaks end it. */
  write(text: string): void {
    for (const [index, piece] of text.split("\n").entries()) {
      if (index > 0) this.endLine();
      if (piece === "") continue;
      if (!this.#holdsText) this.#origin = this.input.source.line;
      this.#holdsText ||= piece.trim() !== "";
      this.#line.push(piece);
    }
  }

  /** A blank line where nothing was written since the last. */
  endLine(): void {
    const { out, source } = this.input;
    const line = this.#line.join("");
    const mark = this.#holdsText ? (/^ {0,16}(?:-|\d{1,6}\.) /.exec(line)?.[0] ?? "") : "";
    const text = line.slice(mark.length).replaceAll(/\s+/g, " ").trim();
    if (!this.#holdsText) out.blank(source.line);
    else if (mark !== "") out.line(`${mark}${text}`, this.#origin);
    else out.prose(text, this.#origin);
    this.#line = [];
    this.#holdsText = false;
  }

  endOpenLine(): void {
    if (this.#holdsText) this.endLine();
    this.#line = [];
  }

  heading(rank: number, text: string): void {
    const { out, source, topRank, topLevel } = this.input;
    this.endOpenLine();
    out.heading(Math.max(rank - topRank, 0) + topLevel, text, source.line, text.replaceAll("`", ""));
  }

  /** Writes the source up to `end` as it is, line by line, and steps there. */
  copy(end: number): void {
    const { source } = this.input;
    for (const [index, piece] of source.text.slice(source.at, end).split("\n").entries()) {
      if (index > 0) {
        this.endOpenLine();
        source.line++;
      }
      this.write(piece);
    }
    source.at = end;
  }

  /** `label` stands in place of the item's number. */
  item(label: string): void {
    this.endOpenLine();
    const number = this.lists.at(-1);
    const indent = "  ".repeat(Math.min(Math.max(0, this.lists.length - 1), MAX_LISTS));
    const mark = typeof number === "number" && label === "" ? `${number}. ` : "- ";
    if (typeof number === "number" && label === "") this.lists[this.lists.length - 1] = number + 1;
    this.write(
      `${indent}${mark}${label === "" ? "" : `${label}${/[\p{L}\p{N}]$/u.test(label) ? ":" : ""} `}`,
    );
  }
}
