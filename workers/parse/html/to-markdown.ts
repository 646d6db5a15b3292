import { imageText, linkTarget, linkText } from "./addresses.ts";
import { codeLanguage, fenced, inlineCode, languageHandedDown } from "./code-blocks.ts";
import { formulaText } from "./formula.ts";
import { isNoteMark } from "./note-mark.ts";
import { tableRows } from "./tables.ts";
import { type Element, findElement, type Node, textContent } from "./tree.ts";
import { createMarkdownWriter, type MarkdownWriter } from "./writer.ts";

const blocks: ReadonlySet<string> = new Set(
  (
    "address article aside body blockquote caption center dd details dialog div dl dt fieldset figcaption figure footer " +
    "form header hgroup html legend li main menu ol optgroup p section summary table tbody td tfoot th thead tr ul #root"
  ).split(" "),
);
const headings: Readonly<Record<string, number>> = { h1: 1, h2: 2, h3: 3, h4: 4, h5: 5, h6: 6 };
const silent: ReadonlySet<string> = new Set(["title", "rp", "svg", "xml", "link", "meta", "col", "colgroup"]);

/**
 * The text of a page as Markdown that the chunker can follow: headings, lists, tables, quotes and code keep their form.
 * Emphasis and the targets of links are left out, since both only blur what is searched. With a `base`, for a page that is
 * kept to be read, links and images have their addresses, made absolute with it.
 */
export function toMarkdown(root: Element, base: string | null = null): string {
  const writer = createMarkdownWriter(base);
  writeChildren(root, writer, false);
  return writer.result();
}

function writeChildren(element: Element, writer: MarkdownWriter, insideItem: boolean): void {
  for (const child of element.children) writeNode(child, writer, insideItem);
}

function writeNode(node: Node, writer: MarkdownWriter, insideItem: boolean): void {
  if (typeof node === "string") writer.text(node);
  else if (!silent.has(node.name) && !writeSpecial(node, writer, insideItem)) {
    const isBlock = blocks.has(node.name);
    if (isBlock) writer.endBlock();
    writeChildren(node.name === "div" ? languageHandedDown(node) : node, writer, insideItem);
    if (isBlock) writer.endBlock();
  }
}

/** Elements with a form of their own; false for all others. */
function writeSpecial(element: Element, writer: MarkdownWriter, insideItem: boolean): boolean {
  const level = headings[element.name];
  if (level !== undefined) {
    const text = writer.capture(() => writeChildren(element, writer, false));
    if (text === "") writer.endBlock();
    else writer.block([`${"#".repeat(level)} ${text}`]);
    return true;
  }
  switch (element.name) {
    case "br":
      writer.lineBreak();
      return true;
    case "hr":
      writer.block(["---"]);
      return true;
    case "pre":
    case "listing":
    case "xmp":
      writer.block(fenced(element, codeLanguage(element)));
      return true;
    case "code":
    case "kbd":
    case "samp":
    case "tt":
      writer.text(inlineCode(textContent(element)));
      return true;
    case "img":
      writer.text(imageText(element, writer.base));
      return true;
    case "math":
      writer.text(` ${formulaText(element)} `);
      return true;
    case "a":
    case "sup":
      if (!isNoteMark(element)) return writeLink(element, writer);
      writer.text(`[${textContent(element)}]`);
      return true;
    case "rt":
      writer.text(`(${textContent(element)})`);
      return true;
    case "blockquote":
      writer.marked("> ", "> ", false, () => writeChildren(element, writer, false));
      return true;
    case "ul":
    case "ol":
    case "menu":
      writeList(element, writer, insideItem);
      return true;
    case "dd":
      writer.marked("  ", "  ", true, () => writeChildren(element, writer, false));
      return true;
    case "table":
      return writeTable(element, writer);
    default:
      return false;
  }
}

/** False for what leads nowhere, and for a link around whole blocks: what is in it keeps its form. */
function writeLink(element: Element, writer: MarkdownWriter): boolean {
  const target = linkTarget(element, writer.base);
  if (target === null || findElement(element, isBlockOrHeading) !== null) return false;
  const text = writer.capture(() => writeChildren(element, writer, false));
  writer.text(text === "" ? " " : linkText(text, target));
  return true;
}

function isBlockOrHeading({ name }: Element): boolean {
  return blocks.has(name) || Object.hasOwn(headings, name) || name === "pre";
}

/** Items follow one another without blank lines; a list inside an item follows its text so too. */
function writeList(list: Element, writer: MarkdownWriter, insideItem: boolean): void {
  let number = Number.parseInt(list.attributes["start"] ?? "1", 10) || 1;
  let tight = insideItem;
  writer.endBlock();
  for (const child of list.children) {
    if (typeof child === "string" || child.name !== "li") {
      writeNode(child, writer, insideItem);
      continue;
    }
    const mark = list.name === "ol" ? `${number++}. ` : "- ";
    writer.marked(mark, " ".repeat(mark.length), tight, () => writeChildren(child, writer, true));
    tight = true;
  }
  writer.endBlock();
}

/** False for a table that only lays out a page: it is read as blocks. */
function writeTable(table: Element, writer: MarkdownWriter): boolean {
  const rows = tableRows(table, (cell) => writer.capture(() => writeChildren(cell, writer, false)));
  if (rows === null) return false;
  writer.block(rows);
  return true;
}
