import { type Element, findElement } from "./tree.ts";

/** A data table as lines of Markdown; null for one that holds blocks (layout, code, other tables). */
export function tableRows(table: Element, cellText: (cell: Element) => string): string[] | null {
  const rows: Element[] = [];
  let caption: Element | null = null;
  const collect = (parent: Element): void => {
    for (const child of parent.children) {
      if (typeof child === "string") continue;
      if (child.name === "tr") rows.push(child);
      else if (child.name === "caption") caption = child;
      else if (child.name === "tbody" || child.name === "thead" || child.name === "tfoot") collect(child);
    }
  };
  collect(table);
  const cells = rows.map((row) =>
    row.children.filter(
      (child): child is Element => typeof child !== "string" && (child.name === "td" || child.name === "th"),
    ),
  );
  const wide = cells.some((row) => row.length > 1);
  if (!wide || cells.some((row) => row.some(holdsBlocks))) return null;
  const lines = cells
    .map((row) => row.map((cell) => cellText(cell).replaceAll("|", String.raw`\|`)))
    .filter((row) => row.some((cell) => cell !== ""))
    .map((row) => `| ${row.join(" | ")} |`);
  if (lines.length > 0) lines.splice(1, 0, `|${" --- |".repeat(cells[0]?.length ?? 1)}`);
  const title = caption === null ? "" : cellText(caption);
  return title === "" ? lines : [title, "", ...lines];
}

function holdsBlocks(cell: Element): boolean {
  return (
    findElement(
      cell,
      ({ name }) =>
        name === "table" || name === "pre" || name === "ul" || name === "ol" || /^h[1-6]$/.test(name),
    ) !== null
  );
}
