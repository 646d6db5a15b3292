import type { Element, Node } from "../html/tree.ts";
import { titleFrom } from "../title.ts";
import { childElements, elementsNamed, type XmlElement, xmlText } from "./tree.ts";

/** Elements deeper than this are written as text of the one around them: what walks the tree may recurse. */
const MAX_DEPTH = 150;

/** DocBook's names → those of HTML that look the same. Names that are not here and begin no section are passed through. */
const names: Readonly<Record<string, string>> = {
  para: "p",
  simpara: "p",
  formalpara: "div",
  itemizedlist: "ul",
  simplelist: "ul",
  member: "li",
  orderedlist: "ol",
  procedure: "ol",
  substeps: "ol",
  step: "li",
  callout: "li",
  calloutlist: "ul",
  listitem: "li",
  variablelist: "dl",
  glosslist: "dl",
  term: "dt",
  glossterm: "dt",
  glossdef: "dd",
  programlisting: "pre",
  screen: "pre",
  literallayout: "pre",
  synopsis: "pre",
  funcsynopsisinfo: "pre",
  code: "code",
  literal: "code",
  command: "code",
  filename: "code",
  function: "code",
  varname: "code",
  option: "code",
  parameter: "code",
  userinput: "code",
  computeroutput: "code",
  envar: "code",
  constant: "code",
  classname: "code",
  methodname: "code",
  blockquote: "blockquote",
  table: "table",
  informaltable: "table",
  thead: "thead",
  tbody: "tbody",
  tfoot: "tfoot",
  row: "tr",
  entry: "td",
  tr: "tr",
  td: "td",
  th: "th",
  caption: "caption",
  example: "div",
  informalexample: "div",
  figure: "div",
  sidebar: "div",
  abstract: "div",
  qandaentry: "div",
  question: "p",
  answer: "div",
  address: "div",
  cmdsynopsis: "p",
  subtitle: "p",
  refpurpose: "p",
  refname: "p",
  glossentry: "div",
  biblioentry: "p",
  bibliomixed: "p",
  footnote: "span",
};
const sections =
  /^(?:set|book|part|article|chapter|appendix|preface|section|sect[1-5]|simplesect|refentry|reference|refsect[1-3]|refsection|bibliography|glossary|glossdiv|dedication|colophon|topic|qandadiv|refsynopsisdiv)$/;
const notes = /^(?:note|tip|warning|caution|important)$/;
/** What is about the document, and what is no text. */
const silent =
  /^(?:info|\w+info|indexterm|index|imageobject|imagedata|graphic|inlinegraphic|colspec|spanspec|remark|refmeta|toc|anchor|co|area|areaspec)$/;

export interface DocBook {
  readonly title: string | null;
  readonly tree: Element;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export function readDocBook(root: XmlElement, decode: (text: string) => string): DocBook {
  const document = childElements(root)[0] ?? root;
  const info = childElements(document).find((child) => /^(?:\w*info)$/.test(child.name)) ?? document;
  const text = (element: XmlElement | undefined): string | null =>
    titleFrom(decode(xmlText(element ?? null)));
  const title = text(childElements(document, "title")[0] ?? childElements(info, "title")[0]);
  const authors = elementsNamed(info, "author")
    .map(text)
    .filter((name) => name !== null);
  const date = text(elementsNamed(info, "pubdate")[0] ?? elementsNamed(info, "date")[0]);
  const tags = elementsNamed(info, "keyword")
    .map(text)
    .filter((word) => word !== null);
  const language = titleFrom(document.attributes["xml:lang"] ?? document.attributes["lang"]);
  return {
    title,
    tree: { name: "#root", attributes: {}, children: [convert(document, decode, 1, 0)] },
    metadata: {
      ...(authors.length > 0 && { author: authors.join(", ") }),
      ...(date !== null && { date }),
      ...(language !== null && { language }),
      ...(tags.length > 0 && { tags }),
    },
  };
}

function convert(
  element: XmlElement,
  decode: (text: string) => string,
  level: number,
  depth: number,
): Element {
  const isSection = sections.test(element.name);
  const children: Node[] = [];
  const inner = isSection ? level + 1 : level;
  if (notes.test(element.name))
    children.push(html("p", [`${element.name.charAt(0).toUpperCase()}${element.name.slice(1)}:`]));
  if (isSection) addTitle(element, children, decode, level);
  for (const child of element.children) {
    if (typeof child === "string") children.push(decode(child));
    else if (child.name === "title" && !isSection)
      children.push(html(element.name === "table" ? "caption" : "p", [decode(xmlText(child))]));
    else if ((child.name === "title" && isSection) || silent.test(child.name)) continue;
    else if (depth >= MAX_DEPTH) children.push(` ${decode(xmlText(child))} `);
    else {
      const converted = convert(child, decode, inner, depth + 1);
      // Rows stand right in a table of HTML, and terms with their meanings right in a list of them.
      if (child.name === "tgroup" || child.name === "varlistentry") children.push(...converted.children);
      else if (element.name === "varlistentry" && child.name === "listitem")
        children.push(html("dd", converted.children));
      else children.push(converted);
    }
  }
  return shaped(element, children);
}

/** A section's title stands in it, or in what it says about itself. */
function addTitle(
  element: XmlElement,
  children: Node[],
  decode: (text: string) => string,
  level: number,
): void {
  const info = childElements(element).find((child) => /^\w*info$/.test(child.name));
  const named =
    childElements(element, "title")[0] ?? (info === undefined ? undefined : childElements(info, "title")[0]);
  const words = named ?? (element.name === "refentry" ? elementsNamed(element, "refname")[0] : undefined);
  if (words !== undefined) children.push(html(`h${Math.min(level, 6)}`, [decode(xmlText(words))]));
  if (info === undefined) return;
  for (const name of ["subtitle", "abstract"]) {
    for (const part of childElements(info, name)) children.push(convert(part, decode, level, MAX_DEPTH - 20));
  }
}

function shaped(element: XmlElement, children: Node[]): Element {
  const { name, attributes } = element;
  if (name === "footnote") return html("span", [" (", ...children.flatMap(inlined), ")"]);
  if (name === "textobject" || name === "caption") return html("div", children);
  const language = attributes["language"];
  const mapped = Object.hasOwn(names, name) ? names[name] : undefined;
  if (mapped === "pre" && language !== undefined)
    return { name: "pre", attributes: { class: `language-${language}` }, children };
  return html(mapped ?? (sections.test(name) || notes.test(name) ? "div" : "span"), children);
}

/** A note at the foot is written where it is called. */
function inlined(node: Node): Node[] {
  return typeof node !== "string" && node.name === "p" ? node.children : [node];
}

function html(name: string, children: Node[]): Element {
  return { name, attributes: {}, children };
}
