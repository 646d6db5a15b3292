import { type Element, findElement, type Node, textContent } from "../html/tree.ts";
import { element } from "./story.ts";

/** A cell with more characters makes its table a layout of the page. */
const MAX_CELL_LENGTH = 1500;
/** Columns that merged cells may fill. */
const MAX_SPAN = 40;
/** One for all places: a hostile table has millions. */
const emptyCell = element("td");

/**
 * Makes the tables of a document ones that Markdown has: cells of one line each, as many in a row as there are columns. A
 * table that lays out the page, or holds another, becomes its paragraphs.
 */
export function settleTables(parent: Element): Element {
  const children: Node[] = [];
  for (const child of parent.children) {
    if (typeof child === "string") children.push(child);
    else if (child.name === "table") children.push(settleTable(child));
    else children.push(settleTables(child));
  }
  return { ...parent, children };
}

function settleTable(table: Element): Element {
  const rows = rowsOf(table);
  const cells = rows.map(cellsOf);
  const data =
    cells.some((row) => row.length > 1) && cells.every((row) => row.every((cell) => isDataCell(cell)));
  if (!data)
    return element(
      "div",
      cells.flat().map((cell) => ({ ...settleTables(cell), name: "div" })),
    );
  return element(
    "table",
    spread(cells).map((row) => element("tr", row)),
  );
}

function rowsOf(table: Element): Element[] {
  return table.children.flatMap((child) => {
    if (typeof child === "string") return [];
    return child.name === "tr" ? [child] : isRowGroup(child.name) ? rowsOf(child) : [];
  });
}

function isRowGroup(name: string): boolean {
  return name === "tbody" || name === "thead" || name === "tfoot";
}

function cellsOf(row: Element): Element[] {
  return row.children.filter(
    (child): child is Element => typeof child !== "string" && (child.name === "td" || child.name === "th"),
  );
}

function isDataCell(cell: Element): boolean {
  return (
    findElement(cell, ({ name }) => name === "table") === null && textContent(cell).length <= MAX_CELL_LENGTH
  );
}

/** Merged cells fill their columns and rows with empty ones, so that what is below one another stays so. */
function spread(rows: readonly Element[][]): Element[][] {
  /** Rows that a cell from above still fills, by column. */
  const filled: number[] = [];
  return rows.map((cells) => {
    const row: Element[] = [];
    const skipFilled = (): void => {
      for (let left = filled[row.length] ?? 0; left > 0; left = filled[row.length] ?? 0) {
        filled[row.length] = left - 1;
        row.push(emptyCell);
      }
    };
    for (const cell of cells) {
      skipFilled();
      const columns = spanOf(cell, "colspan");
      const below = spanOf(cell, "rowspan") - 1;
      for (let at = 0; at < columns; at++) {
        filled[row.length] = below;
        row.push(at === 0 ? element("td", flat(cell.children)) : emptyCell);
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

/** Headings and list items in a cell are its paragraphs. */
function flat(children: readonly Node[]): Node[] {
  return children.map((child) => {
    if (typeof child === "string") return child;
    const name = /^(?:h[1-6]|ul|ol|li|pre|blockquote)$/.test(child.name) ? "div" : child.name;
    return { ...child, name, children: flat(child.children) };
  });
}
