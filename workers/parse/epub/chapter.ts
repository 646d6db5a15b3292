import { toMarkdown } from "../html/to-markdown.ts";
import { type Element, findElement, type Node, parseTree, textContent } from "../html/tree.ts";
import { cleanText } from "../clean-text.ts";
import { markAnchors, partAtAnchors } from "./anchors.ts";
import { typesOf } from "./contents.ts";

/** A piece of a chapter's file, from one place that the table of contents names to the next. */
export interface Piece {
  /** Null before the first such place. */
  readonly fragment: string | null;
  /** Markdown. */
  readonly text: string;
}

export interface Chapter {
  readonly pieces: readonly Piece[];
  /** Share of its text that is in links. */
  readonly linkShare: number;
  readonly links: number;
  readonly length: number;
}

/** Marks of pages and notes are at most this long, in characters. */
const MAX_MARK_LENGTH = 20;
const MAX_MARK_NODES = 10;
/** Characters in which a document names its type. */
const HEAD_LENGTH = 4096;
const XML_MARK = '<?xml version="1.0"?>';

/** The text of one file of a book, cut at the ids among `fragments`. */
export function readChapter(xhtml: string, fragments: ReadonlySet<string>): Chapter {
  // Said to be XML, elements that close themselves are read so: one of script would swallow the chapter.
  const source = withoutDeclarations(xhtml);
  const { root } = parseTree(source.startsWith("<?xml") ? source : XML_MARK + source);
  tidy(root);
  const { length, linked, links } = measure(root);
  const anchors = markAnchors(root, fragments);
  const pieces = partAtAnchors(cleanText(toMarkdown(root)), anchors);
  return { pieces, linkShare: length === 0 ? 0 : linked / length, links, length };
}

/** A document type may declare entities between brackets, which HTML does not know and would show. */
function withoutDeclarations(xhtml: string): string {
  const start = xhtml.slice(0, HEAD_LENGTH).search(/<!doctype/i);
  const open = start === -1 ? -1 : xhtml.indexOf("[", start);
  if (open === -1 || open > xhtml.indexOf(">", start)) return xhtml;
  const end = xhtml.indexOf(">", xhtml.indexOf("]", open));
  return end < open ? xhtml : xhtml.slice(0, start) + xhtml.slice(end + 1);
}

/** Takes out what a person does not read in the book: its head, marks of pages, tables of contents, what is hidden. */
function tidy(parent: Element): void {
  let kept = 0;
  for (const child of parent.children) {
    const node = typeof child === "string" ? child : tidied(child);
    if (node !== null) parent.children[kept++] = node;
  }
  parent.children.length = kept;
}

function tidied(element: Element): Node | null {
  const name = element.name.slice(element.name.indexOf(":") + 1);
  if (name === "head" || name === "nav" || element.attributes["hidden"] !== undefined) return null;
  if (name === "math") return ` ${formulaText(element)} `;
  if (name === "img") return isNamed(element) ? element : null;
  if (isPageMark(element)) return null;
  if (isNoteMark(element)) return `[${textContent(element)}]`;
  tidy(element);
  return element;
}

/** TeX where the book has it, else the signs in a row; never both. */
function formulaText(math: Element): string {
  const written = math.attributes["alttext"] ?? "";
  if (written.trim() !== "") return written;
  const tex = findElement(
    math,
    ({ name, attributes }) => name.endsWith("annotation") && /tex/i.test(attributes["encoding"] ?? ""),
  );
  return textContent(tex ?? withoutAnnotations(math));
}

function withoutAnnotations(element: Element): Element {
  const children = element.children
    .filter((child) => typeof child === "string" || !/annotation(?:-xml)?$/.test(child.name))
    .map((child) => (typeof child === "string" ? child : withoutAnnotations(child)));
  return { ...element, children };
}

const emptyAlternative = /^(?:image|img|cover|picture|illustration|logo|\S+\.(?:png|jpe?g|gif|svg|webp))?$/i;

function isNamed({ attributes }: Element): boolean {
  return !emptyAlternative.test((attributes["alt"] ?? "").trim());
}

function isPageMark(element: Element): boolean {
  const types = typesOf(element);
  return (
    (types.includes("pagebreak") || types.includes("doc-pagebreak")) &&
    (shortText(element)?.length ?? Infinity) <= MAX_MARK_LENGTH
  );
}

/** A raised number that leads to a note would melt into the word before it. */
function isNoteMark(element: Element): boolean {
  if (element.name !== "a" && element.name !== "sup") return false;
  const types = typesOf(element);
  const marked = types.includes("noteref") || types.includes("doc-noteref");
  const other = element.name === "a" ? "sup" : "a";
  const inner = element.children.find((child): child is Element => typeof child !== "string");
  if (!marked && inner?.name !== other) return false;
  const text = shortText(element);
  return (marked || shortText(inner ?? "") === text) && /^[\w*†‡§]{1,5}$/.test(text ?? "");
}

/** Its text, or null when it has more nodes than any mark: marks are looked for in marks in marks. */
function shortText(root: Node): string | null {
  let text = "";
  let nodes = 0;
  const visit = (node: Node): void => {
    if (++nodes > MAX_MARK_NODES) return;
    if (typeof node === "string") text += node;
    else for (const child of node.children.slice(0, MAX_MARK_NODES)) visit(child);
  };
  visit(root);
  return nodes > MAX_MARK_NODES ? null : text.trim();
}

/** Characters of text, those of them in links, and how many links there are. */
function measure(body: Element): { length: number; linked: number; links: number } {
  let length = 0;
  let linked = 0;
  let links = 0;
  const visit = (node: Node, inLink: boolean): void => {
    if (typeof node === "string") {
      const size = node.trim().length;
      length += size;
      if (inLink) linked += size;
      return;
    }
    const isLink = node.name === "a" && node.attributes["href"] !== undefined;
    if (isLink) links++;
    for (const child of node.children) visit(child, inLink || isLink);
  };
  visit(body, false);
  return { length, linked, links };
}
