import { distinct, isoDate, tagList } from "../note-fields.ts";
import { titleFrom } from "../title.ts";

const MAX_INCLUDES = 100;
const MAX_TAGS = 2000;
const MAX_VALUE_LENGTH = 10_000;

/** What the keyword lines and property drawers of a file say of it. */
export class OrgKeywords {
  readonly #values = new Map<string, string>();
  readonly #tags: string[] = [];
  readonly #aliases: string[] = [];
  readonly #includes: string[] = [];

  /** `#+KEY: value`. Keys that may be given several times are joined, as Org does. */
  set(key: string, value: string): void {
    const before = this.#values.get(key);
    if (key === "filetags" || key === "tags") this.addTags(value.split(/[\s:,]+/, MAX_TAGS));
    else if (key === "include") {
      const file = /^"([^"]{1,500})"|^(\S{1,500})/.exec(value);
      if (file !== null && this.#includes.length < MAX_INCLUDES)
        this.#includes.push(file[1] ?? file[2] ?? value);
    } else if (before === undefined) this.#values.set(key, value);
    else if (before.length < MAX_VALUE_LENGTH) this.#values.set(key, `${before} ${value}`);
  }

  addTags(tags: readonly string[]): void {
    for (const tag of tags) if (tag !== "" && this.#tags.length < MAX_TAGS) this.#tags.push(tag);
  }

  /** A property of the whole file. */
  setProperty(key: string, value: string): void {
    if (key === "roam_aliases" || key === "aliases") {
      for (const [, quoted, bare] of value.slice(0, MAX_VALUE_LENGTH).matchAll(/"([^"]+)"|(\S+)/g))
        this.#aliases.push(quoted ?? bare ?? "");
    } else if (key === "roam_tags") this.addTags(tagList(value));
    else if (key === "title" || key === "author" || key === "date") this.set(key, value);
    else if (key === "created") this.#values.set("created", value);
  }

  get title(): string | null {
    return titleFrom(this.#values.get("title"));
  }

  metadata(): Record<string, unknown> {
    const text = (key: string): string | undefined => titleFrom(this.#values.get(key)) ?? undefined;
    const keywords = tagList(this.#values.get("keywords"), false);
    const tags = distinct([...this.#tags, ...keywords]);
    const date = isoDate(this.#values.get("date") ?? this.#values.get("created"));
    return {
      ...(text("author") !== undefined && { author: text("author") }),
      ...(date !== null && { date }),
      ...(text("language") !== undefined && { language: text("language") }),
      ...(text("description") !== undefined && { description: text("description") }),
      ...(tags.length > 0 && { tags }),
      ...(this.#aliases.length > 0 && { aliases: distinct(this.#aliases) }),
      ...(this.#includes.length > 0 && { includes: this.#includes }),
    };
  }
}
