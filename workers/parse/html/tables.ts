import { delimiterLine, tableLine } from "../markdown-table.ts";
import { type Element, findElement } from "./tree.ts";

/** Cells that one cell may reach over, and columns that rows are filled up to. */
const MAX_SPAN = 100;

/** A data table as lines of Markdown; null for one that holds blocks (layout, code, other tables). */
export function tableRows(table: Element, cellText: (cell: Element) => string): string[] | null {
  const { rows, captions } = partsOf(table);
  const cells = rows.map(cellsOf);
  const wide = cells.some((row) => row.length > 1);
  const named = cells.some((row) => row.some((cell) => cell.name === "th"));
  if (!wide || cells.some((row) => row.some((cell) => holdsBlocks(cell, named)))) return null;
  const filled = spread(cells, cellText).filter((row) => row.some((cell) => cell !== ""));
  let width = 1;
  for (const row of filled) width = Math.max(width, Math.min(row.length, MAX_SPAN));
  const lines = filled.map((row) => tableLine(row, Math.max(row.length, width)));
  if (lines.length > 0) lines.splice(1, 0, delimiterLine(Math.max(filled[0]?.length ?? 1, width)));
  const title = captions.map(cellText).filter(Boolean).join(" ");
  return title === "" ? lines : [title, "", ...lines];
}

function partsOf(table: Element): { rows: Element[]; captions: Element[] } {
  const rows: Element[] = [];
  const captions: Element[] = [];
  const collect = (parent: Element): void => {
    for (const child of parent.children) {
      if (typeof child === "string") continue;
      if (child.name === "tr") rows.push(child);
      else if (child.name === "caption") captions.push(child);
      else if (child.name === "tbody" || child.name === "thead" || child.name === "tfoot") collect(child);
    }
  };
  collect(table);
  return { rows, captions };
}

function cellsOf(row: Element): Element[] {
  return row.children.filter(
    (child): child is Element => typeof child !== "string" && (child.name === "td" || child.name === "th"),
  );
}

/** The text of each cell in its column: cells that others reach over from the left or from above are empty. */
function spread(rows: readonly (readonly Element[])[], cellText: (cell: Element) => string): string[][] {
  /** Column → rows that the cell above still reaches over. */
  const above: number[] = [];
  return rows.map((row) => {
    const texts: string[] = [];
    const skip = (): void => {
      while ((above[texts.length] ?? 0) > 0) {
        above[texts.length] = (above[texts.length] ?? 1) - 1;
        texts.push("");
      }
    };
    for (const cell of row) {
      skip();
      const down = spanOf(cell.attributes["rowspan"]) - 1;
      for (let at = 0; at < spanOf(cell.attributes["colspan"]); at++) {
        if (down > 0 || above[texts.length] !== undefined) above[texts.length] = down;
        texts.push(at === 0 ? cellText(cell) : "");
      }
    }
    skip();
    return texts;
  });
}

function spanOf(value: string | undefined): number {
  const span = Number.parseInt(value ?? "1", 10);
  return span > 1 ? Math.min(span, MAX_SPAN) : 1;
}

/** In a table with names of columns or rows, lists are part of a cell; elsewhere they show that it lays out a page. */
function holdsBlocks(cell: Element, named: boolean): boolean {
  return (
    findElement(
      cell,
      ({ name }) =>
        name === "table" ||
        name === "pre" ||
        (!named && (name === "ul" || name === "ol")) ||
        /^h[1-6]$/.test(name),
    ) !== null
  );
}
