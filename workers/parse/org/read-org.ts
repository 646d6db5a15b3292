import { dedent, indentWidth, MarkupLines, type TableRow } from "../markup/markup-lines.ts";
import type { ParsedFile, ReadInput } from "../reader.ts";
import { textOf } from "../text-of.ts";
import { orgInline } from "./org-inline.ts";
import { OrgKeywords } from "./org-keywords.ts";

/** Properties that programs write for themselves. */
const machineProperty =
  /^(?:id|custom_id|roam_\w+|header-args.*|export_\w+|visibility|archive_\w+|ordered|cookie_data|category|columns|created|last_modified|style|effort|dir|tangle|exports|results|clock_\w+)$/;
const tagsAtEnd = /\s:([\p{L}\p{N}_@#%:]{1,500}):\s*$/u;
const keyword = /^\s*#\+([\w-]{1,60}):\s*(.*)$/;
const block = /^\s*#\+begin_(\S{1,60})\s*(.*)$/i;
/** Keywords whose value is text that a person reads. */
const shown: ReadonlySet<string> = new Set(["subtitle", "caption"]);

export function readOrg(input: ReadInput): ParsedFile {
  const { text, encoding, warnings } = textOf(input);
  const reading = new OrgReading(text, input.firstLine);
  reading.run();
  return {
    title: reading.keywords.title,
    parts: [reading.out.part()],
    metadata: { encoding, ...reading.keywords.metadata() },
    warnings,
  };
}

class OrgReading {
  readonly out = new MarkupLines();
  readonly keywords = new OrgKeywords();
  readonly #lines: readonly string[];
  readonly #first: number;
  /** Name of a block, lower case → the last line that ends one. */
  readonly #ends = new Map<string, number>();
  #at = 0;
  /** A title line of its own stands above all headings. */
  #shift = 0;
  #started = false;

  constructor(text: string, firstLine: number) {
    this.#lines = text.split("\n");
    this.#first = firstLine;
    for (const [at, line] of this.#lines.entries()) {
      const end = /^\s*#\+end_(\S{1,60})\s*$/i.exec(line)?.[1];
      if (end !== undefined) this.#ends.set(end.toLowerCase(), at);
      else if (/^\s*:end:\s*$/i.test(line)) this.#ends.set(":drawer", at);
    }
  }

  run(): void {
    while (this.#at < this.#lines.length) {
      const line = this.#lines[this.#at] ?? "";
      if (!this.#readStructure(line)) {
        this.out.prose(orgInline(line), this.#origin());
        this.#at++;
      }
    }
  }

  #origin(at = this.#at): number {
    return this.#first + at;
  }

  #readStructure(line: string): boolean {
    const lead = line.trimStart()[0];
    if (line.startsWith("*")) return this.#heading(line);
    if (lead === "#") return this.#hash(line);
    if (lead === "|") return this.#table();
    if (lead === ":") return this.#colon(line);
    if (lead === "-" && /^\s*-{5,}\s*$/.test(line)) {
      this.out.blank(this.#origin());
      this.out.line("---", this.#origin());
      this.#at++;
      return true;
    }
    return false;
  }

  #heading(line: string): boolean {
    const found = /^(\*+)\s+(.*)$/.exec(line);
    if (found?.[1] === undefined || found[2] === undefined) return false;
    this.#started = true;
    const tags = tagsAtEnd.exec(found[2])?.[1]?.split(":").filter(Boolean) ?? [];
    this.keywords.addTags(tags);
    const words = orgInline(tags.length === 0 ? found[2] : found[2].replace(tagsAtEnd, ""));
    const name = words.replace(/^(?:TODO|DONE|NEXT|WAITING|COMMENT)\s+/, "").replace(/^\[#\w\]\s+/, "");
    const shownTags = tags.length === 0 ? "" : ` :${tags.join(":")}:`;
    this.out.heading(
      found[1].length + this.#shift,
      `${words}${shownTags}`,
      this.#origin(),
      name.replaceAll("`", ""),
    );
    this.#at++;
    return true;
  }

  #hash(line: string): boolean {
    const opened = block.exec(line);
    if (opened?.[1] !== undefined) return this.#block(line, opened[1].toLowerCase(), opened[2] ?? "");
    const set = keyword.exec(line);
    if (set?.[1] !== undefined) {
      const key = set[1].toLowerCase();
      const value = (set[2] ?? "").trim();
      this.keywords.set(key, value);
      if (key === "title" && !this.#started) this.#title(value);
      else if (shown.has(key)) this.out.prose(orgInline(value), this.#origin());
    } else if (!/^\s*#(?:\s|\+|$)/.test(line)) return false;
    // What is left are comments and orders to programs.
    this.#at++;
    return true;
  }

  /** The first line of the title is the outermost heading. */
  #title(value: string): void {
    if (this.#shift === 0) this.out.heading(1, value, this.#origin());
    else this.out.prose(value, this.#origin());
    this.#shift = 1;
  }

  #block(line: string, name: string, argument: string): boolean {
    if ((this.#ends.get(name) ?? -1) <= this.#at) return false;
    const first = this.#at + 1;
    if (!/^(?:comment|src|example|export)$/.test(name)) {
      // Quotes, verses and blocks of an own kind hold text like all other: their two lines alone are left out.
      this.#at = first;
      this.out.blank(this.#origin());
      return true;
    }
    const indent = indentWidth(line);
    let end = first;
    const closing = `#+end_${name}`;
    while (end < this.#lines.length && (this.#lines[end] ?? "").trim().toLowerCase() !== closing) end++;
    const content = this.#lines.slice(first, end).map((each) => dedent(each, indent));
    this.#at = end + 1;
    if (name === "comment") return true;
    const language = name === "example" ? "" : (/^[\w+#.-]{1,40}/.exec(argument)?.[0] ?? "");
    this.out.fence(
      language.toLowerCase(),
      content.map((each) => each.replace(/^(\s*),(?=\*|#\+|,)/, "$1")),
      this.#origin(first),
    );
    return true;
  }

  #colon(line: string): boolean {
    const drawer = /^\s*:([\w-]{1,60}):\s*$/.exec(line)?.[1]?.toLowerCase();
    if (drawer !== undefined && drawer !== "end") {
      if ((this.#ends.get(":drawer") ?? -1) <= this.#at) return false;
      this.#drawer(drawer);
      return true;
    }
    if (drawer === "end") {
      this.#at++;
      return true;
    }
    if (!/^\s*:(?:\s|$)/.test(line)) return false;
    const first = this.#at;
    const code: string[] = [];
    for (; /^\s*:(?:\s|$)/.test(this.#lines[this.#at] ?? ""); this.#at++)
      code.push((this.#lines[this.#at] ?? "").replace(/^\s*: ?/, ""));
    this.out.fence("", code, this.#origin(first));
    return true;
  }

  /** Properties that say something are kept; a logbook loses its clock. Other drawers hold text like all other. */
  #drawer(name: string): void {
    this.#at++;
    if (name !== "properties" && name !== "logbook") return;
    for (; this.#at < this.#lines.length; this.#at++) {
      const line = this.#lines[this.#at] ?? "";
      if (line.startsWith("*") || /^\s*:end:\s*$/i.test(line)) return;
      if (name === "logbook") {
        if (!/^\s*(?:CLOCK:|- State\b)/.test(line)) this.out.prose(orgInline(line), this.#origin());
        continue;
      }
      const [, key = "", value = ""] = /^\s*:([\w@#%+-]{1,60}):\s*(.*)$/.exec(line) ?? [];
      if (!this.#started) this.keywords.setProperty(key.toLowerCase(), value.trim());
      if (key !== "" && value.trim() !== "" && !machineProperty.test(key.toLowerCase()))
        this.out.prose(`${key}: ${orgInline(value)}`, this.#origin());
    }
  }

  #table(): boolean {
    const rows: TableRow[] = [];
    for (; this.#at < this.#lines.length; this.#at++) {
      const line = (this.#lines[this.#at] ?? "").trim();
      if (!line.startsWith("|")) break;
      if (line.startsWith("|-")) continue;
      const cells = line
        .replace(/^\|/, "")
        .replace(/\|$/, "")
        .split("|")
        .map((cell) => cell.trim());
      // Widths and groups of columns are for the editor.
      const forEditor = cells.every((cell) => /^(?:\/|<[lrc]?\d{0,4}>?|>)?$/.test(cell));
      if (!forEditor) rows.push({ cells: cells.map(orgInline), origin: this.#origin() });
    }
    this.out.table(rows);
    return true;
  }
}
