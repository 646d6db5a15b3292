import { type Element, findElement, textContent } from "../html/tree.ts";
import { element } from "./story.ts";

/** A cell with more characters makes its table a layout of the page. */
const MAX_CELL_LENGTH = 1500;

/**
 * Makes the tables in a tree ones that Markdown has, in place: cells of one line each.
 * A table that lays out the page, or holds another, becomes its paragraphs.
 */
export function settleTables(parent: Element): void {
  for (const [at, child] of parent.children.entries()) {
    if (typeof child === "string") continue;
    if (child.name === "table") parent.children[at] = settleTable(child);
    else settleTables(child);
  }
}

function settleTable(table: Element): Element {
  const cells = isSound(table) ? rowsOf(table).map(cellsOf) : [];
  const data = cells.some((row) => row.length > 1) && cells.every((row) => row.every(isDataCell));
  if (data)
    return element(
      "table",
      cells.map((row) => element("tr", row.map(flattened))),
    );
  const layout = { ...table, name: "div" };
  settleTables(layout);
  return layout;
}

/** Broken tables have text outside of their cells. */
function isSound(table: Element): boolean {
  return table.children.every((child) => {
    if (typeof child === "string") return child.trim() === "";
    if (child.name !== "tr") return isRowGroup(child.name) && isSound(child);
    return child.children.every((cell) => (typeof cell === "string" ? cell.trim() === "" : isCell(cell)));
  });
}

function rowsOf(table: Element): Element[] {
  return table.children.flatMap((child) => {
    if (typeof child === "string") return [];
    return child.name === "tr" ? [child] : rowsOf(child);
  });
}

function isRowGroup(name: string): boolean {
  return name === "tbody" || name === "thead" || name === "tfoot";
}

function isCell({ name }: Element): boolean {
  return name === "td" || name === "th";
}

function cellsOf(row: Element): Element[] {
  return row.children.filter((child): child is Element => typeof child !== "string");
}

function isDataCell(cell: Element): boolean {
  return (
    findElement(cell, ({ name }) => name === "table") === null && textContent(cell).length <= MAX_CELL_LENGTH
  );
}

/** In place: headings and list items in a cell are its paragraphs. */
function flattened(cell: Element): Element {
  for (const [at, child] of cell.children.entries()) {
    if (typeof child === "string") continue;
    cell.children[at] = flattened(isBlock(child) ? { ...child, name: "div" } : child);
  }
  return cell;
}

function isBlock({ name }: Element): boolean {
  return /^(?:h[1-6]|ul|ol|li|pre|blockquote)$/.test(name);
}
