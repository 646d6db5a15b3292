import type { ListLevel, NumberFormat } from "../word/list-labels.ts";
import { attribute } from "../xml/walk.ts";

/** Styles are based on one another, not for ever. */
const MAX_CHAIN = 20;
const MAX_LEVELS = 10;
/** The list style that headings are counted by. */
export const OUTLINE = "#outline";
const levelElements: ReadonlySet<string> = new Set([
  "list-level-style-number",
  "list-level-style-bullet",
  "list-level-style-image",
  "outline-level-style",
]);
const formats: Readonly<Record<string, NumberFormat>> = {
  a: "lowerLetter",
  A: "upperLetter",
  i: "lowerRoman",
  I: "upperRoman",
  "": "none",
};

/** What the styles of an OpenDocument text make of its paragraphs; they come by before what they are for. */
export class OdtStyles {
  readonly #parents = new Map<string, string>();
  readonly #hidden = new Set<string>();
  /** By the name of the list style. */
  readonly #lists = new Map<string, (ListLevel | undefined)[]>();
  #style = "";
  #levels: (ListLevel | undefined)[] | null = null;

  /** Every element may be shown to it. */
  open(name: string, attributes: Readonly<Record<string, string>>): void {
    const value = (key: string): string => attribute(attributes, key) ?? "";
    if (name === "style") {
      this.#style = value("name");
      const parent = value("parent-style-name");
      if (parent !== "") this.#parents.set(this.#style, parent);
    } else if (name === "text-properties") {
      if (this.#style !== "" && value("display") === "none") this.#hidden.add(this.#style);
    } else if (name === "list-style") {
      this.#openList(value("name"));
    } else if (name === "outline-style") {
      this.#openList(OUTLINE);
    } else if (this.#levels !== null && levelElements.has(name)) {
      const level = Number.parseInt(value("level"), 10) - 1;
      if (level >= 0 && level < MAX_LEVELS) this.#levels[level] = levelOf(name, value, this.#levels, level);
    }
  }

  #openList(name: string): void {
    this.#levels = [];
    this.#lists.set(name, this.#levels);
  }

  close(name: string): void {
    if (name === "style") this.#style = "";
    else if (name === "list-style" || name === "outline-style") this.#levels = null;
  }

  isHidden(style: string): boolean {
    return this.#chain(style, (name) => this.#hidden.has(name));
  }

  isTitle(style: string): boolean {
    return this.#chain(style, (name) => name === "Title");
  }

  /** The levels of a list style, the outermost first. */
  levels(listStyle: string): readonly (ListLevel | undefined)[] {
    return this.#lists.get(listStyle) ?? [];
  }

  #chain(style: string, passes: (name: string) => boolean): boolean {
    let at: string | undefined = style;
    for (let count = 0; at !== undefined && count < MAX_CHAIN; count++) {
      if (passes(at)) return true;
      at = this.#parents.get(at);
    }
    return false;
  }
}

function levelOf(
  element: string,
  value: (key: string) => string,
  levels: readonly (ListLevel | undefined)[],
  at: number,
): ListLevel {
  if (element.startsWith("list") && !element.endsWith("number"))
    return { format: "bullet", text: "", start: 1 };
  const format = formatOf(value("num-format"));
  const start = Number.parseInt(value("start-value"), 10);
  return {
    format,
    text: format === "none" ? "" : patternOf(value, levels, at),
    start: start >= 0 ? start : 1,
  };
}

function formatOf(written: string): NumberFormat {
  return formats[written] ?? (written.startsWith("一") ? "chinese" : "decimal");
}

/** Numbers of the levels that are shown, with what stands around them. */
function patternOf(
  value: (key: string) => string,
  levels: readonly (ListLevel | undefined)[],
  at: number,
): string {
  const whole = value("num-list-format");
  if (whole !== "") return whole.replaceAll(/%(\d{1,2})%/g, "%$1");
  const shown = Number.parseInt(value("display-levels"), 10) || 1;
  const numbers: string[] = [];
  for (let level = Math.max(0, at + 1 - shown); level < at; level++)
    if (levels[level] !== undefined && levels[level]?.format !== "none") numbers.push(`%${level + 1}`);
  numbers.push(`%${at + 1}`);
  return `${value("num-prefix")}${numbers.join(".")}${value("num-suffix")}`;
}
