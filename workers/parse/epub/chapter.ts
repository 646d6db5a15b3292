import { toMarkdown } from "../html/to-markdown.ts";
import { formulaText } from "../html/formula.ts";
import { isNoteMark, shortText, typesOf } from "../html/note-mark.ts";
import { type Element, type Node, parseTree, textContent } from "../html/tree.ts";
import { cleanText } from "../clean-text.ts";
import { markAnchors, partAtAnchors } from "./anchors.ts";

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

/** Marks of pages are at most this long, in characters. */
const MAX_MARK_LENGTH = 20;
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
