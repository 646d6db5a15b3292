import { distinct, isoDate, tagList } from "../note-fields.ts";
import { titleFrom } from "../title.ts";

const MAX_INCLUDES = 100;
const tagFields: ReadonlySet<string> = new Set(["tags", "tag", "keywords", "category", "categories"]);
/** Fields of the head of a document → the names they are kept under. */
const textFields: Readonly<Record<string, string>> = {
  author: "author",
  authors: "author",
  version: "version",
  organization: "organization",
  copyright: "copyright",
  status: "status",
  description: "description",
  summary: "description",
  language: "language",
  lang: "language",
};

/** What a document's head says of it, in docinfo, meta directives or the comments of blog programs. */
export class RstFacts {
  title: string | null = null;
  readonly #texts: Record<string, string> = {};
  readonly #tags: string[] = [];
  readonly #includes: string[] = [];

  /** True for a field that is one of those kept. */
  set(name: string, value: string): boolean {
    const key = name.toLowerCase();
    if (key === "title") this.title ??= titleFrom(value);
    else if (key === "date" || key === "created") {
      const date = isoDate(value);
      if (date !== null) this.#texts["date"] ??= date;
    } else if (tagFields.has(key)) this.#tags.push(...tagList(value, false));
    else {
      const kept = Object.hasOwn(textFields, key) ? textFields[key] : undefined;
      const text = titleFrom(value);
      if (kept === undefined || text === null) return false;
      this.#texts[kept] ??= text;
    }
    return true;
  }

  include(path: string): void {
    const name = titleFrom(path);
    if (name !== null && this.#includes.length < MAX_INCLUDES) this.#includes.push(name);
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
