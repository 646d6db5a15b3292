import { distinct, isoDate, tagList } from "../note-fields.ts";
import { titleFrom } from "../title.ts";

const MAX_INCLUDES = 100;
const MAX_MACROS = 2000;
const MAX_MACRO_LENGTH = 300;

/** What a LaTeX text says of itself, and the short names that it gives to texts. */
export class LatexFacts {
  title: string | null = null;
  readonly #texts: Record<string, string> = {};
  readonly #tags: string[] = [];
  readonly #includes: string[] = [];
  readonly #macros = new Map<string, string>();

  set(name: string, text: string): void {
    if (name === "title") this.title ??= titleFrom(text);
    else if (name === "date") {
      const date = isoDate(text);
      if (date !== null) this.#texts["date"] ??= date;
    } else if (name === "keywords") this.#tags.push(...tagList(text, false));
    else {
      const value = titleFrom(text);
      if (value !== null) this.#texts[name] ??= value;
    }
  }

  text(name: "author" | "date"): string | undefined {
    return this.#texts[name];
  }

  include(path: string): void {
    const name = titleFrom(path);
    if (name !== null && this.#includes.length < MAX_INCLUDES) this.#includes.push(name);
  }

  /** Only texts without commands: nothing is expanded twice. */
  define(name: string, text: string): void {
    if (this.#macros.size < MAX_MACROS && text.length <= MAX_MACRO_LENGTH && !/[\\#{}$]/.test(text))
      this.#macros.set(name, text);
  }

  macro(name: string): string | undefined {
    return this.#macros.get(name);
  }

  metadata(): Record<string, unknown> {
    const tags = distinct(this.#tags);
    return {
      ...this.#texts,
      ...(tags.length > 0 && { tags }),
      ...(this.#includes.length > 0 && { includes: this.#includes }),
    };
  }
}
