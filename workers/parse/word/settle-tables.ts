import { type Element, findElement, textContent } from "../html/tree.ts";
import { element } from "./story.ts";

/** A cell with more characters makes its table a layout of the page. */
const MAX_CELL_LENGTH = 1500;
/** Columns up to which merged cells are filled, and rows below one. */
const MAX_COLUMNS = 64;
const MAX_SPAN = 100;
/** One for all places: a hostile table has millions. */
const emptyCell = element("td");

/**
 * Makes the tables in a tree ones that Markdown has, in place: cells of one line each, as many in a row as there are columns.
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
      spread(cells).map((row) => element("tr", row)),
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

/** Merged cells fill their columns and rows with empty ones, so that what is below one another stays so. */
function spread(rows: readonly Element[][]): Element[][] {
  /** Rows that a cell from above still fills, by column. */
  const filled = new Map<number, number>();
  return rows.map((cells) => {
    const row: Element[] = [];
    const skipFilled = (): void => {
      for (let left = filled.get(row.length) ?? 0; left > 0; left = filled.get(row.length) ?? 0) {
        filled.set(row.length, left - 1);
        row.push(emptyCell);
      }
    };
    for (const cell of cells) {
      skipFilled();
      const below = spanOf(cell, "rowspan") - 1;
      const columns = spanOf(cell, "colspan");
      for (let at = 0; at < columns && (at === 0 || row.length < MAX_COLUMNS); at++) {
        if (below > 0) filled.set(row.length, below);
        row.push(at === 0 ? flattened(cell) : emptyCell);
      }
    }
    skipFilled();
    return row;
  });
}

function spanOf(cell: Element, name: string): number {
  const span = Number.parseInt(cell.attributes[name] ?? "1", 10);
  return span > 1 ? Math.min(MAX_SPAN, span) : 1;
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
