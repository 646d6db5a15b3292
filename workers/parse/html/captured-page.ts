import { cleanText } from "../clean-text.ts";
import { titleFrom } from "../title.ts";
import { extractArticle } from "./article.ts";
import { type Content, findContent, linkShareOf } from "./chrome.ts";
import { pageFacts } from "./page-facts.ts";
import { toHtml } from "./to-html.ts";
import { toMarkdown } from "./to-markdown.ts";
import { findElement, parseTree, type Element } from "./tree.ts";

/** An article with less of the content's text is not all of it; less still when the page says itself what its content is. */
const MIN_ARTICLE_SHARE = 0.25;
const MIN_MARKED_SHARE = 0.5;
/** What has more of its text in links lists pages and is none itself. */
const MAX_LINK_SHARE = 0.5;
const NO_ARTICLE = "No article was found in the page: all of it was kept, but for menus and the like.";

export interface CapturedPage {
  readonly title: string | null;
  /** Blank for a page without a word. */
  readonly markdown: string;
  readonly warnings: readonly string[];
}

/** A fetched page as Markdown to keep: its article where it has one, with absolute links and images. */
export async function capturedPage(html: string, url: string): Promise<CapturedPage> {
  const { root, flattened } = parseTree(html);
  const facts = pageFacts(root, html);
  const base = baseOf(root, url);
  const content = findContent(root);
  const found = flattened ? null : await findArticle(content, facts.title, base);
  const markdown = cleanText(toMarkdown(found?.root ?? content.element, base));
  const title = facts.title ?? titleFrom(found?.title);
  return {
    title,
    markdown: titled(markdown, title),
    warnings: content.marked || found !== null ? [] : [NO_ARTICLE],
  };
}

/** In what is left when menus and the like are out. */
async function findArticle(
  { element, marked }: Content,
  title: string | null,
  base: string,
): Promise<{ root: Element; title: string | null } | null> {
  const heading = title === null ? "" : toHtml({ name: "title", attributes: {}, children: [title] });
  const article = await extractArticle(
    `<html><head>${heading}</head><body>${toHtml(element)}</body></html>`,
    base,
  );
  if (article === null) return null;
  const { root } = parseTree(article.html);
  // Without addresses: menus have many.
  const length = toMarkdown(root).length;
  const share = marked ? MIN_MARKED_SHARE : MIN_ARTICLE_SHARE;
  const isPart = length === 0 || length < toMarkdown(element).length * share;
  return isPart || linkShareOf(root) > MAX_LINK_SHARE ? null : { root, title: article.title };
}

function baseOf(root: Element, url: string): string {
  const isBase = ({ name, attributes }: Element): boolean =>
    name === "base" && attributes["href"] !== undefined;
  const href = findElement(root, isBase)?.attributes["href"] ?? "";
  return URL.canParse(href, url) ? new URL(href, url).href : url;
}

/** A text that is read alone begins with its title. Articles have lost the heading that repeats it, or its rank. */
function titled(markdown: string, title: string | null): string {
  if (title === null || markdown.trim() === "" || /^# /m.test(markdown)) return markdown;
  const heading = /^## (.+)/.exec(markdown)?.[1];
  return heading !== undefined && title.includes(heading) ? markdown.slice(1) : `# ${title}\n\n${markdown}`;
}
