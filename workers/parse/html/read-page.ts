import { cleanText } from "../clean-text.ts";
import { type ParsedFile, type ReadInput, ReadProblem } from "../reader.ts";
import { textOf } from "../text-of.ts";
import { titleFrom } from "../title.ts";
import { type Content, findContent } from "./chrome.ts";
import { pageFacts } from "./page-facts.ts";
import { toMarkdown } from "./to-markdown.ts";
import { type Element, findElement, parseTree } from "./tree.ts";

/** A page with more of its text in links is mostly chrome, unless it marks its content itself. */
const MAX_LINK_SHARE = 0.3;
/** A page that is nearly all links is an index, and they are its content. */
const INDEX_LINK_SHARE = 0.8;
/** An article with less of the page's text than this, and with less of its text outside of links, has lost something. */
const MIN_ARTICLE_SHARE = 0.25;
const MIN_UNLINKED_SHARE = 0.5;
/** Pages with less text are not worth looking for an article in; characters of Markdown. */
const MIN_PAGE_LENGTH = 1000;

export async function readPage(input: ReadInput): Promise<ParsedFile> {
  const { text: source, encoding, warnings } = textOf(input);
  const { root, flattened } = parseTree(source);
  const facts = pageFacts(root, source);
  const content = findContent(root);
  const whole = toMarkdown(content.element);
  const article =
    !flattened && needsArticle(content, whole) ? await findArticle(source, whole, content.linkShare) : null;
  const text = cleanText(article?.text ?? whole);
  if (text.trim() === "") {
    throw new ReadProblem("no_text", emptyReason(root));
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
  linkShare: number,
): Promise<{ text: string; title: string | null } | null> {
  const { extractArticle } = await import("./article.ts");
  const article = await extractArticle(source);
  if (article === null) return null;
  const text = toMarkdown(parseTree(article.html).root);
  const least = Math.min(MIN_ARTICLE_SHARE, (1 - linkShare) * MIN_UNLINKED_SHARE);
  return text.length < whole.length * least ? null : { text, title: article.title };
}

function emptyReason(root: Element): string {
  const pages: string[] = [];
  findElement(root, ({ name, attributes }) => {
    if (name === "frame" && pages.length < 10) pages.push(attributes["src"] ?? "");
    return false;
  });
  const named = pages.filter((page) => page !== "" && !page.startsWith("data:"));
  if (named.length > 0) return `The page is only a frame around other pages: ${named.join(", ")}.`;
  return "The page has no text of its own: it is empty, or filled in by scripts when it is opened.";
}
