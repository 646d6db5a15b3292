import { readFrontMatter } from "./front-matter.ts";
import type { Reader } from "./reader.ts";
import { textOf } from "./text-of.ts";
import { titleFrom } from "./title.ts";

const extensions: readonly string[] = ["md", "markdown", "mdown", "mkd", "mkdn", "mdwn", "mdx", "qmd", "rmd"];

/** Markdown as it is, front matter with it. A snapshot's own front matter is off already and none other is looked for. */
export const markdownReader: Reader = {
  id: "markdown",
  version: 1,
  format: "markdown",
  name: "Markdown",
  extensions,
  library: "own",
  recognises: (probe) => probe.text !== null && extensions.includes(probe.extension),
  async read(input) {
    const { text, encoding, warnings } = textOf(input);
    const front = input.snapshot ? null : await readFrontMatter(text);
    const lines = { kind: "same", first: input.firstLine } as const;
    const fields = front?.fields ?? {};
    return {
      title: titleFrom(fields["title"]),
      parts: [{ text, markup: "markdown", locator: null, lines, bodyStart: front?.bodyStart ?? 0 }],
      metadata: Object.keys(fields).length > 0 ? { encoding, frontMatter: fields } : { encoding },
      warnings: typeof front?.warning === "string" ? [...warnings, front.warning] : warnings,
    };
  },
};
