import { cleanText } from "./clean-text.ts";
import { type Content, findContent } from "./html/chrome.ts";
import { pageFacts } from "./html/page-facts.ts";
import type { Reader } from "./reader.ts";
import { ReadProblem } from "./reader.ts";
import { textOf } from "./text-of.ts";
import { titleFrom } from "./title.ts";

const extensions: ReadonlySet<string> = new Set(["html", "htm", "xhtml", "shtml"]);
/** A page with more of its text in links is mostly chrome, unless it marks its content itself. */
const MAX_LINK_SHARE = 0.3;
/** A page that is nearly all links is an index, and they are its content. */
const INDEX_LINK_SHARE = 0.8;
/** An article with less of the page's text than this has lost something. */
const MIN_ARTICLE_SHARE = 0.25;
/** Pages with less text are not worth looking for an article in; characters of Markdown. */
const MIN_PAGE_LENGTH = 1000;

/**
 * HTML as Markdown, without page chrome. Line numbers are those of the Markdown: the lines of HTML mean nothing to the
 * people who read the page.
 */
export const htmlReader: Reader = {
  id: "html",
  version: 1,
  format: "html",
  recognises: (probe) => probe.text !== null && (extensions.has(probe.extension) || looksLikeHtml(probe)),
  async read(input) {
    const { text: source, encoding, warnings } = textOf(input);
    const [{ parseTree }, { toMarkdown }] = await Promise.all([
      import("./html/tree.ts"),
      import("./html/to-markdown.ts"),
    ]);
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
      parts: [{ text, markup: "markdown", locator: null, lines: { kind: "same", first: 1 } }],
      metadata: { encoding, ...facts.metadata },
      warnings,
    };
  },
};

/** Names of other formats are believed: their files may well begin with a tag. */
function looksLikeHtml(probe: { extension: string; text: { text: string } | null }): boolean {
  if (!["", "txt", "asp", "aspx", "jsp", "cgi"].includes(probe.extension)) return false;
  return /^\s*(?:<!--[^]{0,500}?-->\s*)?(?:<!doctype\s+html|<html[\s>])/i.test(
    probe.text?.text.slice(0, 1000) ?? "",
  );
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
  const [{ extractArticle }, { parseTree }, { toMarkdown }] = await Promise.all([
    import("./html/article.ts"),
    import("./html/tree.ts"),
    import("./html/to-markdown.ts"),
  ]);
  const article = await extractArticle(source);
  if (article === null) return null;
  const text = toMarkdown(parseTree(article.html).root);
  return text.length < whole.length * MIN_ARTICLE_SHARE ? null : { text, title: article.title };
}
