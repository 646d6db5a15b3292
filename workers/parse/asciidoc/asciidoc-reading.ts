import type { MarkupLines } from "../markup/markup-lines.ts";
import type { AsciidocAttributes } from "./asciidoc-attributes.ts";
import { asciidocInline, firstWords } from "./asciidoc-inline.ts";
import { asciidocTable } from "./asciidoc-table.ts";

interface Source {
  readonly lines: readonly string[];
  /** The line of the file that the first of them is, 1-based. */
  readonly first: number;
  readonly out: MarkupLines;
  readonly attributes: AsciidocAttributes;
}

/** What a line of attributes says of the block below it. */
interface BlockStyle {
  readonly style: string;
  readonly language: string;
  readonly cols: string | undefined;
}

const noStyle: BlockStyle = { style: "", language: "", cols: undefined };
const delimiter = /^(?:-{4,}|\.{4,}|\+{4,}|={4,}|\*{4,}|_{4,}|\/{4,}|--|[|,:!]={3,}|`{3,})/;
const attribute = /^:(!?[\w][\w-]{0,100}!?):(?:\s+(.*))?$/;
const admonition = /^(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)$/;
/** Lines at the start in which attributes are looked for beforehand. */
const MAX_HEAD = 60;
const underlines = "=-~^+";

/** One pass over the lines of an AsciiDoc text. */
export class AsciidocReading {
  title: string | null = null;
  readonly #source: Source;
  /** Delimiter → the last line that it is. */
  readonly #ends = new Map<string, number>();
  #at = 0;
  #style = noStyle;
  #started = false;

  constructor(source: Source) {
    this.#source = source;
    for (const [at, line] of source.lines.entries())
      if (delimiter.test(line)) this.#ends.set(line.trimEnd(), at);
    // The title may name what the lines below it define.
    for (const line of source.lines.slice(0, MAX_HEAD)) {
      const [, name, value = ""] = attribute.exec(line) ?? [];
      if (name !== undefined) source.attributes.set(name, value);
    }
  }

  run(): void {
    const { lines, out } = this.#source;
    while (this.#at < lines.length) {
      const line = lines[this.#at] ?? "";
      if (line.trim() === "") {
        out.blank(this.#origin());
        this.#at++;
      } else if (!this.#readSpecial(line)) {
        this.#started = true;
        this.#style = noStyle;
        out.prose(this.#inline(listItem(line)), this.#origin());
        this.#at++;
      }
    }
  }

  #origin(at = this.#at): number {
    return this.#source.first + at;
  }

  #inline(text: string): string {
    return asciidocInline(this.#source.attributes.expand(text));
  }

  #readSpecial(line: string): boolean {
    switch (line[0] ?? "") {
      case ":":
        return this.#attribute(line) || this.#delimited(line);
      case "[":
        return this.#blockStyle(line);
      case "=":
      case "#":
        return this.#section(line) || this.#delimited(line);
      case "/":
        return this.#comment(line);
      case ".":
        return this.#delimited(line) || this.#blockTitle(line);
      case "'":
        return line.trim() === "'''" && this.#take(() => this.#source.out.line("---", this.#origin()));
      case "<":
        return line.trim() === "<<<" && this.#take(() => undefined);
      case "+":
        if (line.trim() === "+") return this.#take(() => this.#source.out.blank(this.#origin()));
        return this.#delimited(line);
      default:
        return this.#delimited(line) || this.#blockMacro(line) || this.#underlined(line);
    }
  }

  #take(write: () => void): true {
    write();
    this.#at++;
    return true;
  }

  #attribute(line: string): boolean {
    const [, name, value = ""] = attribute.exec(line) ?? [];
    if (name === undefined) return false;
    const { attributes, lines } = this.#source;
    const pieces = [value.trim()];
    for (let last = value; /(?:^|\s)\\$/.test(last) && this.#at + 1 < lines.length;) {
      last = lines[++this.#at] ?? "";
      pieces.push(last.trim());
    }
    const whole = pieces.map((piece) => piece.replace(/(?:^|\s)\\$/, "").trim()).join(" ");
    attributes.set(name, attributes.expand(whole.trim()));
    this.#at++;
    return true;
  }

  #blockStyle(line: string): boolean {
    const inner = /^\[([^\n]{0,2000})\]\s*$/.exec(line)?.[1];
    if (inner === undefined) return false;
    if (!/^\[[^\]]*\]$/.test(inner)) this.#style = parseStyle(inner, this.#style);
    if (admonition.test(this.#style.style)) this.#source.out.prose(`${this.#style.style}:`, this.#origin());
    else if (/^(?:quote|verse),/.test(inner))
      this.#source.out.prose(`${inner.split(",").slice(1).join(",").trim()}:`, this.#origin());
    this.#at++;
    return true;
  }

  #section(line: string): boolean {
    const [, marks, text] = /^(={1,6}|#{1,6})\s+(\S.*)$/.exec(line) ?? [];
    if (marks === undefined || text === undefined) return false;
    this.#heading(marks.length, text.replace(/\s=+\s*$/, ""));
    this.#at++;
    if (marks.length === 1) this.#header();
    return true;
  }

  #heading(level: number, text: string): void {
    const words = this.#inline(text);
    if (level === 1 && !this.#started) this.title ??= words;
    this.#started = true;
    this.#style = noStyle;
    this.#source.out.heading(level, words, this.#origin(), words.replaceAll(/[`*_#]/g, ""));
  }

  /** The lines of author and revision right below the title. */
  #header(): void {
    const { lines, attributes, out } = this.#source;
    const author = lines[this.#at] ?? "";
    if (!/^[\p{L}][^:=[\]{}]{0,300}$/u.test(author)) return;
    attributes.set("author", author.replaceAll(/\s*<[^<>]*>/g, "").replaceAll(/;\s*/g, ", "));
    out.prose(author, this.#origin());
    this.#at++;
    const revision = /^v?([\d.]+\w*)?,?\s*(\d{4}-\d{1,2}-\d{1,2}|[\w ]{3,30}\d{4})?(?::\s*(.*))?$/.exec(
      lines[this.#at] ?? "",
    );
    if (revision === null || (lines[this.#at] ?? "").trim() === "") return;
    if (revision[1] !== undefined) attributes.set("revnumber", revision[1]);
    if (revision[2] !== undefined) attributes.set("revdate", revision[2]);
    out.prose(lines[this.#at] ?? "", this.#origin());
    this.#at++;
  }

  #comment(line: string): boolean {
    if (line.startsWith("////")) return this.#delimited(line);
    return line.startsWith("//") && this.#take(() => undefined);
  }

  #blockTitle(line: string): boolean {
    const text = /^\.(?![\s.])(.*)$/.exec(line)?.[1];
    return text !== undefined && this.#take(() => this.#source.out.prose(this.#inline(text), this.#origin()));
  }

  #blockMacro(line: string): boolean {
    const [, name = "", target = "", words = ""] =
      /^([a-z]{2,20})::([^\s[\]]{0,1000})\[(.{0,2000})\]\s*$/.exec(line) ?? [];
    if (name === "") return false;
    const { out, attributes } = this.#source;
    if (name === "include") attributes.include(attributes.expand(target));
    else if (name === "image") out.prose(this.#inline(pictureText(words)), this.#origin());
    else if (!/^(?:ifdef|ifndef|ifeval|endif|toc|video|audio)$/.test(name)) return false;
    else if (name === "ifdef" && words !== "") out.prose(this.#inline(words), this.#origin());
    this.#at++;
    return true;
  }

  /** A title of the older kind: a line, and one of marks of its length under it. */
  #underlined(line: string): boolean {
    const under = (this.#source.lines[this.#at + 1] ?? "").trimEnd();
    const level = underlines.indexOf(under[0] ?? " ") + 1;
    if (level === 0 || under.length < 3 || under !== (under[0] ?? "").repeat(under.length)) return false;
    if (Math.abs(under.length - line.trim().length) > 2 || /^\s/.test(line)) return false;
    if (this.#at > 0 && (this.#source.lines[this.#at - 1] ?? "").trim() !== "") return false;
    this.#heading(level, line.trim());
    this.#at += 2;
    if (level === 1) this.#header();
    return true;
  }

  #delimited(line: string): boolean {
    const mark = line.trimEnd();
    const fence = /^`{3,}/.exec(mark)?.[0];
    const closing = fence ?? mark;
    if (!delimiter.test(line) || (fence === undefined && !/^(?:--|[|,:!]={3,}|(.)\1{3,})$/.test(mark)))
      return false;
    const { lines, out } = this.#source;
    const style = this.#style;
    this.#style = noStyle;
    this.#started = true;
    const open = (this.#ends.get(closing) ?? -1) > this.#at;
    const kind = mark[0] ?? "";
    const verbatim = fence !== undefined || /^(?:-{4,}|\.{4,}|\+{4,}|\/{4,}|[|,:!]=)/.test(mark);
    out.blank(this.#origin());
    if (!open || !verbatim) {
      // Examples, side notes and quotes hold text like all other; so does what is never closed.
      this.#at++;
      return true;
    }
    const first = this.#at + 1;
    let end = first;
    while (end < lines.length && (lines[end] ?? "").trimEnd() !== closing) end++;
    const content = lines.slice(first, end);
    if (/^[|,:!]=/.test(mark)) this.#table(content, first, kind, style);
    else if (kind !== "/" && !(kind === "+" && style.style === "" && /^\s*</.test(content[0] ?? "")))
      out.fence(
        fence === undefined ? style.language : mark.slice(fence.length).trim(),
        content,
        this.#origin(first),
      );
    this.#at = end + 1;
    return true;
  }

  #table(content: readonly string[], first: number, separator: string, style: BlockStyle): void {
    const lines = content.map((line) => (line.startsWith("//") ? "" : line));
    const rows = asciidocTable(lines, this.#origin(first), style.cols, separator);
    this.#source.out.table(
      rows.map(({ cells, origin }) => ({ cells: cells.map((cell) => this.#inline(cell)), origin })),
    );
  }
}

/** The first of a picture's attributes; its sizes follow. */
function pictureText(words: string): string {
  return words.startsWith('"') ? firstWords(words) : firstWords(words.split(",", 1)[0] ?? "");
}

function parseStyle(source: string, before: BlockStyle): BlockStyle {
  const cols = /\bcols\s*=\s*(?:"([^"]*)"|([^,\s]+))/.exec(source);
  const pieces = source.split(",");
  const style = (pieces[0] ?? "").replace(/[.#%].*$/, "").trim();
  const named = /\blanguage\s*=\s*"?([\w+#.-]+)/.exec(source)?.[1];
  const language = named ?? (style === "source" || style === "" ? (pieces[1] ?? "").trim() : "");
  return {
    style: style === "" ? before.style : style,
    language: /^[\w+#.-]{1,40}$/.test(language) ? language.toLowerCase() : before.language,
    cols: cols?.[1] ?? cols?.[2] ?? before.cols,
  };
}

/** Marks of AsciiDoc's lists as those of Markdown; what a term means stands behind one colon. */
function listItem(line: string): string {
  const [, stars, dots, rest] = /^\s*(?:(\*{1,5})|(\.{1,5}))\s+(\S.*)$/.exec(line) ?? [];
  if (rest !== undefined) {
    const mark = stars === undefined ? "1. " : "- ";
    const depth = (stars ?? dots ?? "").length - 1;
    return `${"  ".repeat(depth)}${stars === undefined ? " ".repeat(depth) : ""}${mark}${rest}`;
  }
  return line.replace(/^(\s*\S.{0,200}?)(?:::{1,3}|;;)(\s|$)/, "$1:$2");
}
