import { dedent, indentWidth, MarkupLines } from "../markup/markup-lines.ts";
import type { ParsedFile, ReadInput } from "../reader.ts";
import { textOf } from "../text-of.ts";
import { type Block, blockAfter, type Line, parseDirective, textsOf } from "./rst-blocks.ts";
import { directiveKind, directiveLabel } from "./rst-directives.ts";
import { RstFacts } from "./rst-facts.ts";
import { rstInline } from "./rst-inline.ts";
import { csvTable, gridBorder, gridTable, listTable, simpleBorder, simpleTable } from "./rst-tables.ts";
import { isAdornment, titleAt } from "./rst-titles.ts";

/** Directives inside directives deeper than this are read as text. */
const MAX_DEPTH = 12;
const MAX_NAMES = 2000;
const MAX_NAME_LENGTH = 300;
/** Lines below that a link or a role may go on in. */
const MAX_JOINED = 3;

export function readRst(input: ReadInput): ParsedFile {
  const { text, encoding, warnings } = textOf(input);
  const lines = text.split("\n").map((line, at) => ({ text: line, origin: input.firstLine + at }));
  const reading = new RstReading(lines);
  reading.body(lines, 0);
  return {
    title: reading.facts.title,
    parts: [reading.out.part()],
    metadata: { encoding, ...reading.facts.metadata() },
    warnings,
  };
}

class RstReading {
  readonly out = new MarkupLines();
  readonly facts = new RstFacts();
  readonly #substitutions = new Map<string, string>();
  readonly #targets = new Map<string, string>();
  readonly #styles: string[] = [];
  /** Text has begun: fields are no longer about the document. */
  #started = false;

  constructor(lines: readonly Line[]) {
    for (const { text } of lines) {
      if (!text.startsWith(".. ") || this.#substitutions.size + this.#targets.size >= MAX_NAMES) continue;
      const [, name, words = ""] = /^\.\. \|([^|]{1,100})\| replace:: (.*)$/.exec(text) ?? [];
      if (name !== undefined) this.#substitutions.set(name, words.slice(0, MAX_NAME_LENGTH));
      const [, link, address] =
        /^\.\. _`?([^:`]{1,200})`?: ((?:https?|ftp|mailto):\S{1,1000})$/.exec(text) ?? [];
      if (link !== undefined && address !== undefined) this.#targets.set(link.toLowerCase(), address);
    }
  }

  body(lines: readonly Line[], depth: number): void {
    for (let at = 0; at < lines.length;) at = this.#block(lines, at, depth);
  }

  #inline(text: string): string {
    return rstInline(text, { substitutions: this.#substitutions, targets: this.#targets });
  }

  /** Reads what begins at a line; answers the line after it. */
  #block(lines: readonly Line[], at: number, depth: number): number {
    const { text, origin } = lines[at] ?? { text: "", origin: 1 };
    const trimmed = text.trimStart();
    if (trimmed === "") {
      this.out.blank(origin);
      return at + 1;
    }
    const title = depth === 0 ? titleAt(text, lines[at + 1]?.text ?? "", lines[at + 2]?.text ?? "") : null;
    if (title !== null) {
      if (!this.#styles.includes(title.style)) this.#styles.push(title.style);
      const framedLine = title.lines === 3 ? 1 : 0;
      const words = this.#inline(title.text);
      this.out.heading(
        this.#styles.indexOf(title.style) + 1,
        words,
        origin + framedLine,
        words.replaceAll("`", ""),
      );
      return at + title.lines;
    }
    if (trimmed.startsWith("..") && (trimmed.length === 2 || /\s/.test(trimmed[2] ?? ""))) {
      return this.#explicit(lines, at, depth);
    }
    if (trimmed.startsWith("__ ")) return at + 1;
    return this.#table(lines, at) ?? this.#field(lines, at, depth) ?? this.#text(lines, at);
  }

  #text(lines: readonly Line[], at: number): number {
    const { text, origin } = lines[at] ?? { text: "", origin: 1 };
    this.#started = true;
    if (/^\s*>>> /.test(text)) {
      let end = at;
      while ((lines[end]?.text ?? "").trim() !== "") end++;
      this.out.fence("python", textsOf(lines.slice(at, end), indentWidth(text)), origin);
      return end;
    }
    if (isAdornment(text) && text.trimEnd().length >= 4 && (lines[at + 1]?.text ?? "").trim() === "") {
      this.out.blank(origin);
      this.out.line("---", origin);
      return at + 1;
    }
    let last = at;
    let whole = text.trimEnd();
    while (last - at < MAX_JOINED && isLeftOpen(whole) && (lines[last + 1]?.text ?? "").trim() !== "")
      whole = `${whole} ${(lines[++last]?.text ?? "").trim()}`;
    const literal = whole.endsWith("::");
    const shown = literal ? whole.replace(/\s::$/, "").replace(/::$/, ":") : whole;
    if (shown.trim() !== ":") {
      const listed = shown
        .replace(/^(\s*)#\. /, "$11. ")
        .replace(/^(\s*)\| /, "$1")
        .replace(/^(\s*)\|$/, "");
      this.out.prose(this.#inline(listed), origin);
    }
    if (!literal) return last + 1;
    const block = blockAfter(lines, last + 1, indentWidth(text));
    if (block.lines.length === 0 || (lines[last + 1]?.text ?? "").trim() !== "") return last + 1;
    this.out.fence("", textsOf(block.lines, block.indent), block.lines[0]?.origin ?? origin);
    return block.end;
  }

  #table(lines: readonly Line[], at: number): number | null {
    const { text, origin } = lines[at] ?? { text: "", origin: 1 };
    if (gridBorder.test(text)) {
      let end = at;
      while (/^\s*[+|]/.test(lines[end]?.text ?? "")) end++;
      const indent = indentWidth(text);
      this.#rows(gridTable({ lines: textsOf(lines.slice(at, end), indent), first: origin }));
      return end;
    }
    if (!simpleBorder.test(text)) return null;
    // Two borders, or three with the names of the columns between the first two; a blank line ends it.
    let end = at + 1;
    for (let last = false; end < lines.length && !last; end++)
      last = simpleBorder.test(lines[end]?.text ?? "") && (lines[end + 1]?.text ?? "").trim() === "";
    this.#rows(simpleTable({ lines: textsOf(lines.slice(at, end), indentWidth(text)), first: origin }));
    return end;
  }

  #rows(rows: ReturnType<typeof gridTable>): void {
    this.out.table(
      rows.map(({ cells, origin }) => ({ cells: Array.from(cells, (cell) => this.#inline(cell)), origin })),
    );
  }

  /** A field of the document's head. */
  #field(lines: readonly Line[], at: number, depth: number): number | null {
    const { text, origin } = lines[at] ?? { text: "", origin: 1 };
    if (this.#started || depth > 0) return null;
    const [, name, value = ""] = /^:([^:\s][^:]{0,60}):(?:\s+(.*))?$/.exec(text) ?? [];
    if (name === undefined) return null;
    const block = blockAfter(lines, at + 1, 0);
    const whole = [value, ...block.lines.map((line) => line.text.trim())].join(" ").trim();
    this.facts.set(name, whole);
    if (whole !== "") this.out.prose(`${name}: ${this.#inline(whole)}`, origin);
    return block.lines.length > 0 && block.lines[0]?.origin === origin + 1 ? block.end : at + 1;
  }

  /** What begins with two dots: directives, notes, and comments, which are left out. */
  #explicit(lines: readonly Line[], at: number, depth: number): number {
    const { text, origin } = lines[at] ?? { text: "", origin: 1 };
    const indent = indentWidth(text);
    const block = blockAfter(lines, at + 1, indent);
    const directive = parseDirective(text.trimStart(), block);
    if (directive !== null) {
      this.#directive(directive.name, directive.argument, directive, origin, depth);
      return block.end;
    }
    const [, note, words = ""] = /^\.\.\s+(\[[^\]]{1,60}\])(?:\s+(.*))?$/.exec(text.trimStart()) ?? [];
    if (note !== undefined) {
      this.out.prose(`${note} ${this.#inline(words)}`, origin);
      this.#nested(block, depth);
      return block.end;
    }
    const fact = /^\.\.\s+(\w{1,20}):\s+(.*)$/.exec(text);
    if (fact?.[1] !== undefined && !this.#started) this.facts.set(fact[1], fact[2] ?? "");
    return block.end;
  }

  #directive(
    name: string,
    argument: string,
    { options, content }: { options: ReadonlyMap<string, string>; content: Block },
    origin: number,
    depth: number,
  ): void {
    const kind = directiveKind(name);
    const text = (words: string | undefined): void => {
      if (words !== undefined && words.trim() !== "") this.out.prose(this.#inline(words), origin);
    };
    this.out.blank(origin);
    if (kind === "code") {
      text(options.get("caption"));
      const language = /^[\w+#.-]{1,40}/.exec(argument)?.[0]?.toLowerCase() ?? "";
      const shown = language === "none" || language === "text" || name === "parsed-literal" ? "" : language;
      this.out.fence(shown, textsOf(content.lines, content.indent), content.lines[0]?.origin ?? origin);
    } else if (kind === "math") {
      this.out.line(`$$ ${argument}`, origin);
      for (const line of content.lines) this.out.line(dedent(line.text, content.indent), line.origin);
      this.out.line("$$", content.lines.at(-1)?.origin ?? origin);
    } else if (kind === "table") {
      text(argument);
      this.#tableDirective(name, content, options, origin, depth);
    } else if (kind === "include") {
      this.facts.include(argument);
    } else if (kind === "pages") {
      text(options.get("caption"));
      this.#pages(content);
    } else if (kind === "meta") {
      if (name === "title") this.facts.set("title", argument);
      else for (const [key, value] of options) this.facts.set(key, value);
    } else if (kind === "picture") {
      text(options.get("alt"));
      this.#nested(content, depth);
    } else if (kind !== "silent") {
      if (kind === "label") text(directiveLabel(name, argument));
      else if (kind === "object" && argument !== "")
        this.out.prose(`\`${argument.replaceAll("`", "")}\``, origin);
      else text(argument);
      this.#nested(content, depth);
    }
    if (kind !== "silent" && kind !== "meta" && kind !== "include") this.#started = true;
    this.out.blank(content.lines.at(-1)?.origin ?? origin);
  }

  #nested(block: Block, depth: number): void {
    const lines = block.lines.map((line) => ({ text: dedent(line.text, block.indent), origin: line.origin }));
    if (depth + 1 < MAX_DEPTH) this.body(lines, depth + 1);
    else for (const line of lines) this.out.prose(line.text, line.origin);
  }

  #tableDirective(
    name: string,
    content: Block,
    options: ReadonlyMap<string, string>,
    origin: number,
    depth: number,
  ): void {
    if (name === "table") {
      this.#nested(content, depth);
      return;
    }
    const table = {
      lines: textsOf(content.lines, content.indent),
      first: content.lines[0]?.origin ?? origin,
    };
    if (name !== "csv-table") {
      this.#rows(listTable(table));
      return;
    }
    const header = options.get("header");
    const names = header === undefined ? [] : csvTable({ lines: [header], first: origin });
    this.#rows([...names, ...csvTable(table)]);
  }

  /** Pages that a table of contents names: their titles where it gives these. */
  #pages(content: Block): void {
    for (const { text, origin } of content.lines) {
      const page = text.trim();
      if (page === "" || page === "self") continue;
      const [, words = page, path = page] = /^(.{1,300}?)\s*<([^<>]{1,300})>$/.exec(page) ?? [];
      this.facts.include(path);
      this.out.line(`- ${words}`, origin);
    }
  }
}

/** An odd number of backticks: a link or a role goes on in the next line. */
function isLeftOpen(text: string): boolean {
  let open = false;
  if (text.length > 1000) return open;
  for (let at = text.indexOf("`"); at !== -1; at = text.indexOf("`", at + 1)) open = !open;
  return open;
}
