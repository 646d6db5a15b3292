import { cleanText } from "./clean-text.ts";
import { readFrontMatter } from "./front-matter.ts";
import { bodyFacts } from "./markdown/body-facts.ts";
import type { MdxText } from "./markdown/mdx-text.ts";
import { distinct, noteFields } from "./note-fields.ts";
import type { Reader } from "./reader.ts";
import { textOf } from "./text-of.ts";
import { titleFrom } from "./title.ts";

const extensions: readonly string[] = ["md", "markdown", "mdown", "mkd", "mkdn", "mdwn", "mdx", "qmd", "rmd"];

/**
 * Markdown as it is, front matter with it; of MDX the prose alone. A snapshot's own front matter is off already and none other
 * is looked for.
 */
export const markdownReader: Reader = {
  id: "markdown",
  version: 4,
  format: "markdown",
  name: "Markdown",
  extensions,
  library: "own",
  recognises: (probe) => probe.text !== null && extensions.includes(probe.extension),
  async read(input) {
    const { text, encoding, warnings } = textOf(input);
    const front = input.snapshot ? null : await readFrontMatter(text);
    const bodyStart = front?.bodyStart ?? 0;
    const mdx = input.extension === "mdx" ? await proseOf(text, bodyStart) : null;
    const fields = front?.fields ?? {};
    const known = noteFields(fields);
    const { tags, links } = bodyFacts(mdx?.text ?? text, bodyStart);
    const allTags = distinct([...(known.tags ?? []), ...tags]);
    return {
      title: known.title ?? titleFrom(mdx?.title),
      parts: [
        {
          text: mdx === null ? text : cleanText(mdx.text),
          markup: "markdown",
          locator: null,
          lines: { kind: "same", first: input.firstLine },
          bodyStart,
        },
      ],
      metadata: {
        encoding,
        ...known,
        ...(allTags.length > 0 && { tags: allTags }),
        ...(links.length > 0 && { links }),
        ...(Object.keys(fields).length > 0 && { frontMatter: fields }),
      },
      warnings: typeof front?.warning === "string" ? [...warnings, front.warning] : warnings,
    };
  },
};

async function proseOf(text: string, bodyStart: number): Promise<MdxText> {
  const { mdxText } = await import("./markdown/mdx-text.ts");
  return mdxText(text, bodyStart);
}
