import { toMarkdown } from "../html/to-markdown.ts";
import { type Element, findElement, parseTree, textContent } from "../html/tree.ts";

/** Characters that take no room, in runs that only keep the first words of a message alone in a list of messages. */
const padding = /(?:(?:\u00AD|\u034F|\u200B|\u200C|\u2007|\uFEFF)[^\S\n]*){5,}/g;

/** The HTML of a message as Markdown, without what is hidden in it; tables that only lay it out are read as blocks. */
export function htmlBody(html: string): string {
  const { root } = parseTree(html);
  simplify(root);
  return toMarkdown(root).replaceAll(padding, " ").trim();
}

/** The tree's depth is bounded. */
function simplify(parent: Element): void {
  let kept = 0;
  for (const child of parent.children) {
    if (typeof child === "string") parent.children[kept++] = child;
    else if (!isHidden(child)) {
      const layout = child.name === "table" && !holdsData(child);
      simplify(child);
      parent.children[kept++] = layout ? { ...child, name: "div" } : child;
    }
  }
  parent.children.length = kept;
}

function isHidden({ attributes }: Element): boolean {
  if (attributes["hidden"] !== undefined) return true;
  return /display\s*:\s*none|mso-hide\s*:\s*all/i.test(attributes["style"] ?? "");
}

/** It names its columns, or two of its rows have two cells with text. */
function holdsData(table: Element): boolean {
  const role = table.attributes["role"];
  if (role === "presentation" || role === "none") return false;
  const rows = rowsOf(table);
  const named = rows.some((row) => cellsOf(row).some((cell) => cell.name === "th"));
  if (named) return true;
  let filled = 0;
  for (const row of rows) {
    const cells = cellsOf(row);
    // A table inside is laid out by this one.
    if (cells.some((cell) => findElement(cell, ({ name }) => name === "table") !== null)) return false;
    if (cells.filter((cell) => textContent(cell) !== "").length > 1) filled++;
  }
  return filled > 1;
}

function rowsOf(table: Element): Element[] {
  return elementsIn(table).flatMap((child) =>
    child.name === "tr" ? [child] : /^(?:tbody|thead|tfoot)$/.test(child.name) ? elementsIn(child) : [],
  );
}

function cellsOf(row: Element): Element[] {
  return elementsIn(row).filter(({ name }) => name === "td" || name === "th");
}

function elementsIn(parent: Element): Element[] {
  return parent.children.filter((child): child is Element => typeof child !== "string");
}
