import { distinct, isoDate, tagList } from "../note-fields.ts";
import { titleFrom } from "../title.ts";

const MAX_ATTRIBUTES = 2000;
const MAX_VALUE_LENGTH = 500;
const MAX_INCLUDES = 100;
/** Characters that the attributes of one line may put in its place. */
const MAX_EXPANSION = 10_000;

const builtIn: Readonly<Record<string, string>> = {
  empty: "",
  blank: "",
  sp: " ",
  nbsp: " ",
  zwsp: "",
  wj: "",
  apos: "'",
  quot: '"',
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
  deg: "°",
  plus: "+",
  brvbar: "¦",
  vbar: "|",
  amp: "&",
  lt: "<",
  gt: ">",
  startsb: "[",
  endsb: "]",
  caret: "^",
  asterisk: "*",
  tilde: "~",
  backslash: "\\",
  backtick: "`",
  "two-colons": "::",
  "two-semicolons": ";;",
  cpp: "C++",
};
/** Attributes of the document → the names they are kept under. */
const kept: Readonly<Record<string, string>> = {
  author: "author",
  authors: "author",
  description: "description",
  "page-description": "description",
  lang: "language",
  revnumber: "version",
};
const dates = ["revdate", "date", "page-date", "docdate"];
const tags = ["keywords", "tags", "page-tags", "page-categories", "jbake-tags", "page-keywords"];

/** Names and values that an AsciiDoc text defines, and what they say of the document. */
export class AsciidocAttributes {
  readonly #values = new Map<string, string>();
  readonly #includes: string[] = [];

  set(name: string, value: string): void {
    if (this.#values.size < MAX_ATTRIBUTES)
      this.#values.set(name.toLowerCase(), value.slice(0, MAX_VALUE_LENGTH));
  }

  get(name: string): string | undefined {
    return this.#values.get(name.toLowerCase());
  }

  include(path: string): void {
    const name = titleFrom(path);
    if (name !== null && this.#includes.length < MAX_INCLUDES) this.#includes.push(name);
  }

  /** `{name}` becomes its value, once: values are not looked into again. */
  expand(line: string): string {
    if (!line.includes("{")) return line;
    let left = MAX_EXPANSION;
    return line.replaceAll(/\\?\{([\w-]{1,100})\}/g, (whole, name: string) => {
      if (whole.startsWith("\\")) return whole.slice(1);
      const key = name.toLowerCase();
      const value = this.#values.get(key) ?? (Object.hasOwn(builtIn, key) ? builtIn[key] : undefined);
      if (value === undefined || value.length > left) return whole;
      left -= value.length;
      return value;
    });
  }

  metadata(): Record<string, unknown> {
    const found: Record<string, string> = {};
    for (const [name, key] of Object.entries(kept)) {
      const text = titleFrom(this.expand(this.get(name) ?? ""));
      if (text !== null) found[key] ??= text;
    }
    const date = dates.map((name) => isoDate(this.get(name))).find((value) => value !== null);
    const list = distinct(
      tags.flatMap((name) => tagList(this.get(name)?.replace(/^\[(.*)\]$/, "$1"), false)),
    );
    return {
      ...found,
      ...(typeof date === "string" && { date }),
      ...(list.length > 0 && { tags: list }),
      ...(this.#includes.length > 0 && { includes: this.#includes }),
    };
  }
}
