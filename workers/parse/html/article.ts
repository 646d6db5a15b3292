import { Readability } from "@mozilla/readability";

export interface Article {
  readonly html: string;
  readonly title: string | null;
}

/** A second, slower try with the whole browser model is made for pages up to this many characters. */
const MAX_CAREFUL_LENGTH = 512 * 1024;
/** Pages with more are read whole: looking for an article takes more than linear time. */
const MAX_ELEMENTS = 50_000;
const MAX_LENGTH = 8 * 1024 * 1024;
/** For a page of which nobody knows where it stood. */
const NO_URL = "http://localhost/";

/**
 * The article of a page that is mostly chrome, or null where none is found. No script runs and nothing is fetched.
 */
export async function extractArticle(html: string, url: string = NO_URL): Promise<Article | null> {
  if (html.length > MAX_LENGTH || countElements(html) > MAX_ELEMENTS) return null;
  const page = /<(?:html|body)[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`;
  try {
    return await quickly(page, url);
  } catch (error) {
    // The quick model lacks parts of the DOM that some pages need; other errors are the careful one's to show.
    if (page.length > MAX_CAREFUL_LENGTH || !(error instanceof Error)) return null;
    return carefully(page, url);
  }
}

/** The model of the page counts none of its elements, so that Readability's own bound would never hold. */
export function countElements(html: string): number {
  let count = 0;
  for (let at = html.indexOf("<"); at !== -1; at = html.indexOf("<", at + 1)) {
    const letter = html.charCodeAt(at + 1) | 0x20;
    if (letter >= 0x61 && letter <= 0x7a) count++;
  }
  return count;
}

async function quickly(html: string, url: string): Promise<Article | null> {
  const { parseHTML } = await import("linkedom");
  const { document } = parseHTML(html);
  Object.defineProperty(document, "baseURI", { value: url, configurable: true });
  Object.defineProperty(document, "documentURI", { value: url, configurable: true });
  return read(document);
}

async function carefully(html: string, url: string): Promise<Article | null> {
  const { JSDOM } = await import("jsdom");
  const dom = new JSDOM(html, { url });
  try {
    return read(dom.window.document);
  } finally {
    dom.window.close();
  }
}

function read(document: Document): Article | null {
  // Classes say what language code is in.
  const article = new Readability(document, { keepClasses: true }).parse();
  if (article === null || typeof article.content !== "string") return null;
  return { html: article.content, title: article.title ?? null };
}
