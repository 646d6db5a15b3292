import { cleanText } from "../clean-text.ts";
import { toMarkdown } from "../html/to-markdown.ts";
import type { Element, Node } from "../html/tree.ts";
import { distinct, isoDate } from "../note-fields.ts";
import type { ParsedFile, Part } from "../reader.ts";
import { titleFrom } from "../title.ts";
import { childElements, descend, elementsNamed, type XmlElement, xmlText } from "./tree.ts";

type Decode = (text: string) => string;

/** Elements deeper than this are written as text of the one around them: what walks the tree may recurse. */
const MAX_DEPTH = 150;
/** FictionBook's names → those of HTML that look the same; others are passed through. */
const names: Readonly<Record<string, string>> = {
  p: "p",
  subtitle: "p",
  "text-author": "p",
  date: "p",
  section: "div",
  annotation: "div",
  poem: "div",
  stanza: "p",
  cite: "blockquote",
  epigraph: "blockquote",
  table: "table",
  tr: "tr",
  th: "th",
  td: "td",
  code: "code",
};
const silent: ReadonlySet<string> = new Set(["image", "empty-line", "binary", "stylesheet"]);

/** A book of FictionBook: what it says of itself, then a part for each of its outermost sections. */
export function readFictionBook(root: XmlElement, decode: Decode): Omit<ParsedFile, "warnings"> {
  const book = childElements(root)[0] ?? root;
  const info = descend(book, "description", "title-info");
  const said = (name: string): string | null => titleFrom(decode(xmlText(descend(info, name))));
  const title = said("book-title");
  const authors = childElements(info ?? book, "author").map((author) => personOf(author, decode));
  const author = authors.filter(Boolean).join(", ");
  const date = isoDate(descend(info, "date")?.attributes["value"] ?? said("date"));
  const language = said("lang");
  const tags = distinct(childElements(info ?? book, "genre").map((genre) => xmlText(genre).trim())).filter(
    Boolean,
  );
  const series = titleFrom(descend(info, "sequence")?.attributes["name"]);
  const annotation = descend(info, "annotation");
  const opening = [
    title === null ? "" : `# ${title}`,
    author,
    annotation === null ? "" : markdownOf([convert(annotation, decode, 1, 0)]),
  ].filter((text) => text !== "");
  const parts: Part[] = opening.length === 0 ? [] : [partOf(opening.join("\n\n"), null, [])];
  const above = title === null ? [] : [title];
  for (const body of childElements(book, "body")) parts.push(...bodyParts(body, above, decode));
  return {
    title,
    parts,
    metadata: {
      ...(author !== "" && { author }),
      ...(date !== null && { date }),
      ...(language !== null && { language }),
      ...(series !== null && { series }),
      ...(tags.length > 0 && { tags }),
    },
  };
}

function personOf(author: XmlElement, decode: Decode): string {
  const names = ["first-name", "middle-name", "last-name"].map((name) => descend(author, name));
  const full = names.map((name) => xmlText(name).trim()).filter((name) => name !== "");
  return decode(full.length > 0 ? full.join(" ") : xmlText(descend(author, "nickname")).trim());
}

/** A body that is named holds notes: all of it is one part. */
function bodyParts(body: XmlElement, above: readonly string[], decode: Decode): Part[] {
  const name = titleFrom(titleOf(body, decode) ?? body.attributes["name"]);
  if (body.attributes["name"] !== undefined) {
    const children = body.children.filter((child) => typeof child === "string" || child.name !== "title");
    const text = markdownOf(children.map((child) => converted(child, decode, 2, 0)));
    return text === "" ? [] : [partOf(name === null ? text : `# ${name}\n\n${text}`, name, above)];
  }
  const parts: Part[] = [];
  const rest: Node[] = [];
  for (const child of body.children) {
    if (typeof child === "string" || child.name !== "section") {
      // The book's title was said.
      if (typeof child === "string" || child.name !== "title") rest.push(converted(child, decode, 1, 0));
      continue;
    }
    const text = markdownOf([convert(child, decode, 1, 0)]);
    if (text !== "") parts.push(partOf(text, titleOf(child, decode), above));
  }
  const before = markdownOf(rest);
  return before === "" ? parts : [partOf(before, null, above), ...parts];
}

function partOf(text: string, chapter: string | null, headings: readonly string[]): Part {
  return { text, markup: "markdown", locator: chapter === null ? null : { chapter }, lines: null, headings };
}

/** The paragraphs of a title are its lines. */
function titleOf(section: XmlElement, decode: Decode): string | null {
  const title = childElements(section, "title")[0];
  if (title === undefined) return null;
  const lines = elementsNamed(title, "p").map((line) => xmlText(line).trim());
  return titleFrom(decode(lines.length > 0 ? lines.filter(Boolean).join(". ") : xmlText(title)));
}

function converted(node: XmlElement | string, decode: Decode, level: number, depth: number): Node {
  return typeof node === "string" ? decode(node) : convert(node, decode, level, depth);
}

function convert(element: XmlElement, decode: Decode, level: number, depth: number): Element {
  const { name } = element;
  if (silent.has(name)) return html("span", []);
  const children: Node[] = [];
  const heading = name === "section" || name === "poem" ? titleOf(element, decode) : null;
  if (heading !== null) children.push(html(name === "poem" ? "p" : `h${Math.min(level, 6)}`, [heading]));
  for (const child of element.children) {
    if (typeof child === "string") children.push(decode(child));
    else if (child.name === "title" && heading !== null) continue;
    else if (depth >= MAX_DEPTH) children.push(` ${decode(xmlText(child))} `);
    else {
      children.push(convert(child, decode, name === "section" ? level + 1 : level, depth + 1));
      if (child.name === "v") children.push(html("br", []));
    }
  }
  return html(Object.hasOwn(names, name) ? (names[name] ?? "span") : "span", children);
}

function html(name: string, children: Node[]): Element {
  return { name, attributes: {}, children };
}

function markdownOf(nodes: Node[]): string {
  return cleanText(toMarkdown(html("#root", nodes))).trim();
}
