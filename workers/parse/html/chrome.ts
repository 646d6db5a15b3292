import { classesOf, type Element, findElement, type Node, textContent } from "./tree.ts";

/** What surrounds a page's content and is the same on every page of its site. */
const chromeRoles: ReadonlySet<string> = new Set([
  "navigation",
  "search",
  "banner",
  "contentinfo",
  "menu",
  "menubar",
]);
const chromeClass =
  /(?:^|[\s_-])(?:sidebar|sphinxsidebar|related|breadcrumbs?|navbar|navfooter|navheader|navigation|skip-?(?:nav|link)|site-?(?:header|footer)|cookie-?(?:banner|notice|consent)|noprint|printfooter|mw-editsection)(?:$|[\s_-])/i;
/** Numbers of lines beside code. */
const gutterClass =
  /(?:^|\s)(?:gutter|linenos|linenodiv|lineno|line-?numbers?(?:-rows)?|blob-num|hljs-ln-numbers|lnt|rouge-gutter)(?:\s|$)/i;
/** A form with less text asks for a name or a word to search. */
const MAX_FORM_TEXT = 300;
/** What names a section: a button in it unfolds the section and is its name. */
const naming = /^(?:h[1-6]|summary|dt)$/;
/** Marks that point at a heading itself. */
const anchorClass = /(?:^|\s)(?:headerlink|anchor|anchorjs-link|permalink|heading-anchor|self-link)(?:\s|$)/;
/** Chrome with less than this share of its text in links holds content. */
const contentMinimum = 0.25;

export interface Content {
  readonly element: Element;
  /** The page marks it as its content itself. */
  readonly marked: boolean;
  /** Share of the text that is in links. */
  readonly linkShare: number;
}

/** Takes page chrome out of the tree and finds the element that holds the content. */
export function findContent(root: Element): Content {
  const main = markedContent(root);
  strip(root, false);
  const { text } = measure(root);
  const chosen = main !== null && measure(main).text >= text * contentMinimum ? main : null;
  return { element: chosen ?? root, marked: chosen !== null, linkShare: linkShareOf(root) };
}

/** Share of an element's text that is in links. */
export function linkShareOf(element: Element): number {
  const { text, links } = measure(element);
  return text === 0 ? 0 : links / text;
}

/** What HTML, ARIA or a documentation generator names the content. */
function markedContent(body: Element): Element | null {
  return (
    findElement(body, (element) => element.name === "main" || element.attributes["role"] === "main") ??
    onlyArticle(body) ??
    findElement(body, (element) => {
      const id = element.attributes["id"] ?? "";
      return id === "mw-content-text" || (element.name === "div" && classesOf(element) === "body");
    })
  );
}

function onlyArticle(body: Element): Element | null {
  const first = findElement(body, (element) => element.name === "article");
  if (first === null) return null;
  return findElement(body, (element) => element.name === "article" && element !== first) === null
    ? first
    : null;
}

function strip(parent: Element, inContent: boolean): void {
  let kept = 0;
  for (const child of parent.children) {
    if (typeof child !== "string") {
      if (isChrome(child, inContent, parent)) continue;
      strip(child, inContent || child.name === "main" || child.name === "article");
    }
    parent.children[kept++] = child;
  }
  parent.children.length = kept;
}

function isChrome(element: Element, inContent: boolean, parent: Element): boolean {
  const { name, attributes } = element;
  if (name === "html" || name === "body") return false;
  if (name === "button") return !naming.test(parent.name);
  if (name === "nav" || name === "dialog") return true;
  if (isHidden(attributes)) return true;
  if (gutterClass.test(classesOf(element)) && isNumbers(element)) return true;
  if (name === "a" && anchorClass.test(classesOf(element)) && isMark(element)) return true;
  if (chromeRoles.has(attributes["role"] ?? "")) return true;
  if (inContent || name === "main" || name === "article") return false;
  if (name === "footer" || name === "aside") return true;
  if (name === "form" && measure(element).text < MAX_FORM_TEXT) return true;
  if (name === "header") return findElement(element, (inner) => /^h[1-3]$/.test(inner.name)) === null;
  return chromeClass.test(`${classesOf(element)} ${attributes["id"] ?? ""}`) && isMostlyLinks(element);
}

function isHidden(attributes: Readonly<Record<string, string>>): boolean {
  const hidden = attributes["hidden"];
  // What is hidden until it is found wants to be found.
  if (
    (hidden !== undefined && hidden.toLowerCase() !== "until-found") ||
    attributes["aria-hidden"] === "true"
  )
    return true;
  return /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(attributes["style"] ?? "");
}

function isNumbers(element: Element): boolean {
  return /^[\d\s]*$/.test(textContent(element));
}

/** One sign, as "#" or "¶", and no word. */
function isMark(element: Element): boolean {
  return measure(element).text <= 2;
}

function isMostlyLinks(element: Element): boolean {
  const { text, links } = measure(element);
  return links >= text * 0.5 || text < 200;
}

/** Characters of text, white space not counted, and those of them in links. */
function measure(element: Element): { text: number; links: number } {
  let text = 0;
  let links = 0;
  const visit = (node: Node, inLink: boolean): void => {
    if (typeof node === "string") {
      const length = node.trim().length;
      text += length;
      if (inLink) links += length;
    } else for (const child of node.children) visit(child, inLink || node.name === "a");
  };
  visit(element, false);
  return { text, links };
}
