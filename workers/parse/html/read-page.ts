import { cleanText } from "../clean-text.ts";
import { type ParsedFile, type ReadInput, ReadProblem } from "../reader.ts";
import { textOf } from "../text-of.ts";
import { titleFrom } from "../title.ts";
import { type Content, findContent } from "./chrome.ts";
import { pageFacts } from "./page-facts.ts";
import { toMarkdown } from "./to-markdown.ts";
import { parseTree } from "./tree.ts";

/** A page with more of its text in links is mostly chrome, unless it marks its content itself. */
const MAX_LINK_SHARE = 0.3;
/** A page that is nearly all links is an index, and they are its content. */
const INDEX_LINK_SHARE = 0.8;
/** An article with less of the page's text than this has lost something. */
const MIN_ARTICLE_SHARE = 0.25;
/** Pages with less text are not worth looking for an article in; characters of Markdown. */
const MIN_PAGE_LENGTH = 1000;

export async function readPage(input: ReadInput): Promise<ParsedFile> {
  const { text: source, encoding, warnings } = textOf(input);
  const { root, flattened } = parseTree(source);
  const facts = pageFacts(root);
  const content = findContent(root);
  const whole = toMarkdown(content.element);
  const article = !flattened && needsArticle(content, whole) ? await findArticle(source, whole) : null;
  const text = cleanText(article?.text ?? whole);
  if (text.trim() === "") {
    throw new ReadProblem(
      "no_text",
      "The page has no text of its own: it is empty, or filled in by scripts when it is opened.",
    );
  }
  return {
    title: facts.title ?? titleFrom(article?.title),
    parts: [{ text, markup: "markdown", locator: null, lines: null }],
    metadata: { encoding, ...facts.metadata },
    warnings,
  };
}

function needsArticle(content: Content, markdown: string): boolean {
  const { marked, linkShare } = content;
  return (
    !marked &&
    linkShare > MAX_LINK_SHARE &&
    linkShare < INDEX_LINK_SHARE &&
    markdown.length >= MIN_PAGE_LENGTH
  );
}

async function findArticle(
  source: string,
  whole: string,
): Promise<{ text: string; title: string | null } | null> {
  const { extractArticle } = await import("./article.ts");
  const article = await extractArticle(source);
  if (article === null) return null;
  const text = toMarkdown(parseTree(article.html).root);
  return text.length < whole.length * MIN_ARTICLE_SHARE ? null : { text, title: article.title };
}
