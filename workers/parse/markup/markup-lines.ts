import { cleanText } from "../clean-text.ts";
import { delimiterLine, tableLine } from "../markdown-table.ts";
import type { OutlineEntry, Part } from "../reader.ts";
import { titleFrom } from "../title.ts";

export interface TableRow {
  readonly cells: readonly string[];
  /** The line of the file that it begins in, 1-based. */
  readonly origin: number;
}

/** Markdown has no deeper headings; the outline has. */
const MAX_MARKS = 6;
/** Rows are filled up with empty cells to this width at most: one wide row must not widen all others. */
const MAX_FILLED_WIDTH = 50;
/** Text that Markdown would take for a heading, a fence or a rule. */
const syntax = /^ {0,3}(?:#{1,6}(?:\s|$)|`{3}|~{3}|(?:=+|-+)\s*$)/;

/**
 * Gathers the Markdown of a markup that is read line by line, and for each of its lines the line of the file it comes from.
 * Origins are 1-based.
 */
export class MarkupLines {
  readonly #lines: string[] = [];
  readonly #origins: number[] = [];
  readonly #outline: OutlineEntry[] = [];

  /** Markdown as it is. */
  line(text: string, origin: number): void {
    this.#lines.push(text.trimEnd());
    this.#origins.push(origin);
  }

  /** Text of the file: nothing in it becomes a heading or a fence. */
  prose(text: string, origin: number): void {
    if (text.trim() === "") this.blank(origin);
    else this.line(syntax.test(text) ? text.replace(/\S/, String.raw`\$&`) : text, origin);
  }

  /** One blank line, however often it is asked for. */
  blank(origin: number): void {
    if (this.#lines.length > 0 && this.#lines.at(-1) !== "") this.line("", origin);
  }

  /** `name` is what the heading is called in paths, where that is less than what its line says. */
  heading(level: number, text: string, origin: number, name: string = text): void {
    const called = titleFrom(name) ?? titleFrom(text);
    if (called === null) return;
    this.blank(origin);
    this.#outline.push({ line: this.#lines.length, level, text: called });
    this.line(`${"#".repeat(Math.min(level, MAX_MARKS))} ${text.replaceAll(/\s+/g, " ").trim()}`, origin);
    this.blank(origin);
  }

  /** `first`: the line that the first line of code comes from; the fence's own lines are not counted. */
  fence(language: string, code: readonly string[], first: number): void {
    const from = code.findIndex((line) => line.trim() !== "");
    if (from === -1) return;
    const to = code.findLastIndex((line) => line.trim() !== "");
    let longest = 2;
    for (const line of code) {
      const run = /^\s*(`{3,})/.exec(line)?.[1]?.length ?? 0;
      if (run > longest) longest = run;
    }
    const fence = "`".repeat(longest + 1);
    this.blank(first + from);
    this.line(`${fence}${language}`, first + from);
    for (let at = from; at <= to; at++) this.line(code[at] ?? "", first + at);
    this.line(fence, first + to);
    this.blank(first + to);
  }

  /** The first row names the columns. Rows without any content are left out. */
  table(rows: readonly TableRow[]): void {
    const filled = rows.filter(({ cells }) => cells.some((cell) => cell.trim() !== ""));
    const first = filled[0];
    if (first === undefined) return;
    let width = 1;
    for (const { cells } of filled) width = Math.max(width, Math.min(cells.length, MAX_FILLED_WIDTH));
    this.blank(first.origin);
    for (const [index, { cells, origin }] of filled.entries()) {
      this.line(tableLine(cells, Math.max(width, cells.length)), origin);
      if (index === 0) this.line(delimiterLine(Math.max(width, cells.length)), origin);
    }
    this.blank(filled.at(-1)?.origin ?? first.origin);
  }

  /** All that was gathered, as the one part of a document. */
  part(): Part {
    while (this.#lines.at(-1) === "") {
      this.#lines.pop();
      this.#origins.pop();
    }
    return {
      text: cleanText(this.#lines.join("\n")),
      markup: "markdown",
      locator: null,
      lines: { kind: "map", of: this.#origins },
      outline: this.#outline,
    };
  }
}

/** Columns of white space in front of a line; a tab reaches to the next multiple of eight. */
export function indentWidth(line: string): number {
  let column = 0;
  for (let at = 0; at < line.length; at++) {
    const code = line.charCodeAt(at);
    if (code === 32) column++;
    else if (code === 9) column += 8 - (column % 8);
    else break;
  }
  return column;
}

/** Without up to `columns` of the white space in front. */
export function dedent(line: string, columns: number): string {
  let column = 0;
  let at = 0;
  for (; at < line.length && column < columns; at++) {
    const code = line.charCodeAt(at);
    if (code === 32) column++;
    else if (code === 9) column += 8 - (column % 8);
    else break;
  }
  return line.slice(at);
}
