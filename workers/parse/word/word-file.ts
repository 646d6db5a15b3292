import { cleanText } from "../clean-text.ts";
import { toMarkdown } from "../html/to-markdown.ts";
import { type Element, textContent } from "../html/tree.ts";
import { type EmbeddedFile, type ParsedFile, type Part, ReadProblem } from "../reader.ts";
import { settleTables } from "./settle-tables.ts";
import { element, type StoryBudget } from "./story.ts";

/** What was read of a word-processing document. */
export interface WordContent {
  readonly title: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly body: Element;
  /** One for each kind of page; what they say alike is given once. */
  readonly headers: readonly Element[];
  readonly footers: readonly Element[];
  /** Notes with the marks that refer to them. */
  readonly notes: readonly Remark[];
  /** Comments with their authors' names. */
  readonly comments: readonly Remark[];
  /** Words of charts and diagrams. */
  readonly pictures: readonly Element[];
  readonly warnings: readonly string[];
  /** Of its stories. */
  readonly budget: StoryBudget;
  readonly children: readonly EmbeddedFile[];
  /** Pictures without a word, for the reason why there is no text. */
  readonly pictureCount: number;
}

export interface Remark {
  readonly mark: string;
  readonly root: Element;
}

/**
 * The parts of a document: its body with the headers of its pages above it, then notes, comments and footers, which stand
 * under headings of their own as they belong to no chapter. @throws ReadProblem no_text.
 */
export function wordFile(content: WordContent): ParsedFile {
  const body = element("#root", [...distinct(content.headers), ...content.body.children]);
  const parts = [
    part(body, []),
    part(marked(content.notes), ["Notes"]),
    part(marked(content.comments), ["Comments"]),
    part(
      element(
        "#root",
        content.pictures.flatMap(({ children }) => children),
      ),
      ["Charts and diagrams"],
    ),
    part(element("#root", distinct(content.footers)), ["Footer"]),
  ].filter((made) => made.text !== "");
  if (parts.length === 0 && content.children.length === 0) throw nothingIn(content);
  const { title, metadata, children } = content;
  return { title, parts, metadata, warnings: warningsOf(content), children };
}

function warningsOf({ warnings, budget }: WordContent): string[] {
  if (!budget.isSpent) return [...warnings];
  return [
    ...warnings,
    "It is too large: what stands behind its first paragraphs and table cells was left out.",
  ];
}

function part(root: Element, headings: readonly string[]): Part {
  settleTables(root);
  const text = cleanText(toMarkdown(root));
  return { text, markup: "markdown", locator: null, lines: null, headings };
}

/** The blocks of all, without those whose text was there before. */
function distinct(roots: readonly Element[]): Element["children"] {
  const seen = new Set<string>();
  return roots.flatMap(({ children }) =>
    children.filter((block) => {
      const text = textContent(block);
      const isNew = !seen.has(text);
      seen.add(text);
      return isNew;
    }),
  );
}

/** The mark stands in the first paragraph. */
function marked(remarks: readonly Remark[]): Element {
  return element(
    "#root",
    remarks.flatMap(({ mark, root }) => {
      const [first, ...others] = root.children;
      if (first === undefined) return [];
      if (typeof first === "string" || first.name !== "p") return [element("p", [mark]), first, ...others];
      return [element("p", [`${mark} `, ...first.children]), ...others];
    }),
  );
}

function nothingIn({ warnings, pictureCount }: WordContent): ReadProblem {
  const [first] = warnings;
  if (first !== undefined) return new ReadProblem("corrupt", `Nothing in it could be read. ${first}`);
  const holds = pictureCount > 0 ? `it holds ${pictureCount} picture(s) and no words.` : "it is empty.";
  return new ReadProblem("no_text", `No extractable text: ${holds}`);
}
