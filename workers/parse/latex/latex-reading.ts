import { MarkupLines } from "../markup/markup-lines.ts";
import {
  citeCommand,
  codeCommands,
  FRAME_RANK,
  lineCommands,
  noteCommands,
  refCommand,
  sectionRanks,
  silentCommands,
  skippingCommands,
} from "./latex-commands.ts";
import { LatexEnvironments } from "./latex-environments.ts";
import type { LatexFacts } from "./latex-facts.ts";
import { type LatexInput, LatexOutput } from "./latex-output.ts";
import { accented, isAccent, signOf } from "./latex-signs.ts";
import { LatexSource } from "./latex-source.ts";

const special = /[\\{}%$~\n&]|``|''|--/g;
const MAX_BRACES = 1000;
/** Characters of a formula, and of what stands between two marks of \verb. */
const MAX_FORMULA = 2000;
const MAX_MISSED = 100;
const SHORT_FORMULA = 100;
/** Texts inside texts inside texts are taken as they are. */
const MAX_DEPTH = 4;

/** A title, a cell, a caption: as one line of text. */
export function inlineLatex(text: string, line: number, facts: LatexFacts, depth = 0): string {
  if (!/[\\{}$%~`'-]/.test(text)) return text.replaceAll(/\s+/g, " ").trim();
  if (depth > MAX_DEPTH) return text.replaceAll(/[\\{}]/g, " ");
  const out = new MarkupLines();
  new LatexReading({ source: new LatexSource(text, line), out, facts, topRank: 0, topLevel: 1 }, depth).run();
  return out.part().text.replaceAll(/\s+/g, " ").trim();
}

/** One pass over a LaTeX text: commands become what they set, and braces go. */
export class LatexReading {
  readonly #source: LatexSource;
  readonly #facts: LatexFacts;
  readonly #output: LatexOutput;
  readonly #environments: LatexEnvironments;
  /** What is written where each open brace closes. */
  readonly #braces: string[] = [];
  /** Marks that were looked for in vain. */
  #missed = 0;

  constructor(input: LatexInput, depth = 0) {
    this.#source = input.source;
    this.#facts = input.facts;
    this.#output = new LatexOutput(input, (text) =>
      inlineLatex(text, input.source.line, input.facts, depth + 1),
    );
    this.#environments = new LatexEnvironments(this.#output);
  }

  run(): void {
    const source = this.#source;
    while (!source.ended) {
      special.lastIndex = source.at;
      const found = special.exec(source.text);
      const end = found?.index ?? source.text.length;
      if (end > source.at) this.#output.write(source.text.slice(source.at, end));
      source.at = end;
      if (found !== null) this.#special(found[0]);
    }
    this.#output.endLine();
  }

  #special(sign: string): void {
    const source = this.#source;
    if (sign === "\n") this.#lineBreak();
    else if (sign === "%") this.#comment();
    else if (sign === "\\") this.#command();
    else if (sign === "$") this.#formula();
    else if (sign === "{") {
      if (this.#braces.length < MAX_BRACES) this.#braces.push("");
      this.#sign(source.text[source.at - 1] === "}" ? " " : "", 1);
    } else if (sign === "}") this.#sign(this.#braces.pop() ?? "", 1);
    else if (sign === "--") {
      const long = source.text.startsWith("---", source.at);
      this.#sign(long ? "—" : "–", long ? 3 : 2);
    } else if (sign.length === 1) this.#sign(" ", 1);
    else this.#sign(sign === "``" ? "“" : "”", 2);
  }

  #sign(text: string, length: number): void {
    this.#output.write(text);
    this.#source.at += length;
  }

  #lineBreak(): void {
    const source = this.#source;
    // Lines of nothing but commands leave no gap.
    const before = source.text.lastIndexOf("\n", source.at - 1) + 1;
    const isBlank = source.at - before < 200 && source.text.slice(before, source.at).trim() === "";
    if (this.#output.isOpen || isBlank) this.#output.endLine();
    source.at++;
    source.line++;
  }

  #comment(): void {
    const source = this.#source;
    const end = source.text.indexOf("\n", source.at);
    const before = source.text.lastIndexOf("\n", source.at - 1) + 1;
    const alone = source.at - before < 200 && source.text.slice(before, source.at).trim() === "";
    source.at = end === -1 ? source.text.length : end;
    // A line that is a comment is no line at all.
    if (alone && !source.ended) source.moveTo(source.at + 1);
  }

  /** `$…$` and `$$…$$` stay as they are. */
  #formula(): void {
    const source = this.#source;
    const mark = source.text.startsWith("$$", source.at) ? "$$" : "$";
    const reach = source.text.slice(source.at + mark.length, source.at + MAX_FORMULA);
    const closing = (mark === "$" ? /(?<!\\)\$/ : /\$\$/).exec(reach);
    const inner = closing === null ? null : reach.slice(0, closing.index);
    if (inner === null || /\n[ \t]*\n/.test(inner)) this.#sign(mark, mark.length);
    else this.#output.copy(source.at + inner.length + 2 * mark.length);
  }

  #command(): void {
    const source = this.#source;
    const name = source.commandName();
    source.moveTo(source.at + 1 + name.length);
    const sign = signOf(name);
    if (sign !== undefined) {
      this.#output.write(sign);
      if (source.text.startsWith("{}", source.at)) source.at += 2;
      else if (/^\p{L}$/u.test(sign) && source.text[source.at] === " ") source.at++;
    } else if (name === "\\") {
      source.skipArguments(0);
      this.#output.write(" ");
    } else if (name === "(" || name === "[") this.#mathUntil(name === "(" ? "\\)" : "\\]");
    else if (name === "begin" || name === "end") {
      const environment = source.group()?.trim();
      if (environment !== undefined) this.#environments[name](environment);
    } else if (
      !this.#accent(name) &&
      !this.#heading(name) &&
      !this.#withText(name) &&
      !this.#withoutText(name)
    ) {
      const macro = this.#facts.macro(name);
      if (macro !== undefined) this.#output.write(macro);
      else if (source.text[source.at] === "[" || source.text[source.at] === "*") source.skipArguments(0);
    }
  }

  #mathUntil(closing: string): void {
    const source = this.#source;
    const end = this.#find(closing, source.at);
    if (end === -1) return;
    const stop = source.at + end;
    this.#output.write("$");
    this.#output.copy(stop);
    this.#output.write("$");
    source.at = stop + closing.length;
  }

  #accent(name: string): boolean {
    if (!isAccent(name)) return false;
    const source = this.#source;
    const found = /^\s?(?:\{(\\?\p{L}?)\s?\}|(\\[ij](?![A-Za-z])|\p{L}))/u.exec(
      source.text.slice(source.at, source.at + 8),
    );
    if (found === null) return false;
    const letter = found[1] ?? found[2] ?? "";
    this.#output.write(letter === "" ? "" : (accented(name, letter) ?? letter));
    source.at += found[0].length;
    return true;
  }

  #heading(name: string): boolean {
    const ranked = Object.hasOwn(sectionRanks, name) ? sectionRanks[name] : undefined;
    const rank = name === "frametitle" ? FRAME_RANK : ranked;
    if (rank === undefined) return false;
    this.#source.skipArguments(0);
    this.#source.skipSpace();
    const text = this.#source.group();
    if (text !== null) this.#output.heading(rank, this.#output.inline(text));
    return true;
  }

  /** Commands whose argument is shown. */
  #withText(name: string): boolean {
    const source = this.#source;
    const output = this.#output;
    if (name === "item" || name === "bibitem") {
      source.skipSpace();
      const option = source.option();
      const key = name === "bibitem" ? source.group() : null;
      output.item(key === null ? output.inline(option ?? "") : `[${key}]`);
    } else if (name === "verb" || (/^(?:lst|mint)inline$/.test(name) && source.text[source.at] !== "{"))
      this.#verb(name);
    else if (name === "href") {
      const target = (source.group() ?? "").replaceAll(/\\([%#&_~])/g, "$1");
      this.#open("[", `](${target})`);
    } else if (citeCommand.test(name)) {
      source.skipArguments(0);
      const keys = source.group();
      if (keys !== null) output.write(`[${keys}]`);
    } else if (refCommand.test(name)) output.write(source.group()?.replace(/^\w+:/, "") ?? "");
    else if (codeCommands.has(name)) {
      if (name === "mintinline") source.skipArguments(1);
      this.#open("`", "`");
    } else if (noteCommands.has(name)) {
      source.skipArguments(0);
      this.#open(" (", ")");
    } else if (lineCommands.has(name)) {
      source.skipArguments(name === "captionof" ? 1 : 0);
      output.endOpenLine();
      this.#open("", "\n");
    } else return false;
    return true;
  }

  #withoutText(name: string): boolean {
    const source = this.#source;
    const groups = silentCommands.get(name) ?? skippingCommands.get(name);
    if (groups !== undefined) source.skipArguments(groups);
    else if (/^(?:input|include|subfile|import)$/.test(name)) {
      const path =
        source.group() ??
        /^ ?([^\s\\{}]{1,300})/.exec(source.text.slice(source.at, source.at + 302))?.[1] ??
        "";
      if (source.text[source.at] === " ") source.at += path.length + 1;
      this.#facts.include(name === "import" ? `${path}${source.group() ?? ""}` : path);
    } else if (/^(?:title|author|date)$/.test(name)) source.skipArguments(1);
    else if (name === "iffalse") {
      const end = source.text.indexOf("\\fi", source.at);
      source.moveTo(end === -1 ? source.text.length : end + 3);
    } else if (name === "def") {
      const head =
        /^\s?\\[A-Za-z]{1,40}[#\d[\]]{0,20}/.exec(source.text.slice(source.at, source.at + 80))?.[0] ?? "";
      source.moveTo(source.at + head.length);
      source.group();
    } else return false;
    return true;
  }

  /** How far away a mark is; -1 where it is too far. A text that leaves many open is looked through less far. */
  #find(mark: string, from: number): number {
    const reach = this.#missed < MAX_MISSED ? MAX_FORMULA : SHORT_FORMULA;
    const found = this.#source.text.slice(from, from + reach).indexOf(mark);
    if (found === -1) this.#missed++;
    return found;
  }

  /** The next group is text, with something in front of it and behind it. */
  #open(before: string, after: string): void {
    const source = this.#source;
    source.skipSpace();
    if (source.text[source.at] !== "{") return;
    this.#output.write(before);
    source.at++;
    if (this.#braces.length < MAX_BRACES) this.#braces.push(after);
  }

  /** Code between two equal signs. */
  #verb(name: string): void {
    const source = this.#source;
    source.skipArguments(name === "mintinline" ? 1 : 0);
    const mark = source.text[source.at] ?? "";
    const end = mark === "" ? -1 : this.#find(mark, source.at + 1);
    if (end === -1) return;
    const code = source.text.slice(source.at + 1, source.at + 1 + end);
    if (code.includes("\n")) return;
    this.#output.write(code.includes("`") ? code : `\`${code}\``);
    source.at += end + 2;
  }
}
