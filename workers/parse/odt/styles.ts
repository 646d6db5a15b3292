import { attribute } from "../xml/walk.ts";

/** Styles are based on one another, not for ever. */
const MAX_CHAIN = 20;

/** What the styles of an OpenDocument text make of its paragraphs; they come by before what they are for. */
export class OdtStyles {
  readonly #parents = new Map<string, string>();
  readonly #hidden = new Set<string>();
  /** List styles and levels whose items are numbered: "L1/2". */
  readonly #ordered = new Set<string>();
  #style = "";
  #listStyle = "";

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
      this.#listStyle = value("name");
    } else if (name === "list-level-style-number" && value("num-format") !== "") {
      this.#ordered.add(`${this.#listStyle}/${value("level")}`);
    }
  }

  close(name: string): void {
    if (name === "style") this.#style = "";
    else if (name === "list-style") this.#listStyle = "";
  }

  isHidden(style: string): boolean {
    return this.#chain(style, (name) => this.#hidden.has(name));
  }

  isTitle(style: string): boolean {
    return this.#chain(style, (name) => name === "Title");
  }

  /** `depth` is 0 for the outermost list. */
  isOrdered(listStyle: string, depth: number): boolean {
    return this.#ordered.has(`${listStyle}/${depth + 1}`);
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
