import type { Paragraph } from "../slides/slide.ts";
import { childElements, descend, elementsNamed, type XmlElement, xmlText } from "../xml/tree.ts";
import { attribute } from "../xml/walk.ts";

const MAX_LEVEL = 8;
/** Spaces that one element may stand for. */
const MAX_SPACES = 100;

/** Name of a list style → for each level, 0 the outermost, whether its items are numbered. */
export type ListStyles = ReadonlyMap<string, readonly boolean[]>;

export function listStylesIn(roots: readonly XmlElement[]): ListStyles {
  const styles = new Map<string, boolean[]>();
  for (const style of roots.flatMap((root) => elementsNamed(root, "list-style"))) {
    const numbered: boolean[] = [];
    for (const level of childElements(style)) {
      const index = Number(attribute(level.attributes, "level")) - 1;
      if (index >= 0 && index < 20) {
        const format = attribute(level.attributes, "num-format") ?? "";
        numbered[index] = level.name === "list-level-style-number" && format !== "";
      }
    }
    styles.set(attribute(style.attributes, "name") ?? "", numbered);
  }
  return styles;
}

/** The paragraphs and lists in a text box. */
export function paragraphsIn(box: XmlElement, styles: ListStyles): Paragraph[] {
  const paragraphs: Paragraph[] = [];
  const visit = (element: XmlElement, level: number, style: string, mark: Paragraph["mark"]): void => {
    // Only the first paragraph of an item has its mark.
    let own = mark;
    for (const child of childElements(element)) {
      if (child.name === "p" || child.name === "h") {
        paragraphs.push({ text: paragraphText(child), level: Math.max(0, level), mark: own });
        own = "none";
      } else if (child.name === "list") {
        visit(
          child,
          Math.min(level + 1, MAX_LEVEL),
          attribute(child.attributes, "style-name") ?? style,
          "none",
        );
      } else if (child.name === "list-item") {
        visit(child, level, style, styles.get(style)?.[Math.max(0, level)] === true ? "number" : "bullet");
      } else if (child.name === "list-header" || child.name === "section") visit(child, level, style, "none");
    }
  };
  visit(box, -1, "", "none");
  return paragraphs;
}

/** Not part of the line that it hangs on, or the same on every slide. */
const aside: ReadonlySet<string> = new Set([
  "annotation",
  "annotation-end",
  "page-number",
  "footer",
  "header",
  "date-time",
  "event-listeners",
  "frame",
  "object",
]);

export function paragraphText(paragraph: XmlElement): string {
  const pieces: string[] = [];
  const visit = (element: XmlElement): void => {
    for (const child of element.children) {
      if (typeof child === "string") pieces.push(child.replaceAll(/\s+/g, " "));
      else if (child.name === "s") {
        const count = Number(attribute(child.attributes, "c") ?? 1);
        pieces.push(" ".repeat(Math.min(MAX_SPACES, Math.max(1, Math.floor(count) || 1))));
      } else if (child.name === "tab") pieces.push("\t");
      else if (child.name === "line-break") pieces.push("\n");
      else if (child.name === "ruby-text") pieces.push(`(${xmlText(child)})`);
      else if (!aside.has(child.name)) visit(child);
    }
  };
  visit(paragraph);
  return pieces.join("");
}

/** All its paragraphs, parted by spaces. */
export function textIn(element: XmlElement | null): string {
  if (element === null) return "";
  const paragraphs = elementsNamed(element, "p").concat(elementsNamed(element, "h"));
  return paragraphs.map(paragraphText).join(" ").replaceAll(/\s+/g, " ").trim();
}

const MAX_REPEATS = 200;
const MAX_CELLS = 200_000;

/** A table's cells; those that stand for many are written as often, within bounds. */
export function tableRows(table: XmlElement): string[][] {
  const rows: string[][] = [];
  let count = 0;
  const visit = (parent: XmlElement): void => {
    for (const child of childElements(parent)) {
      if (count > MAX_CELLS) return;
      if (child.name === "table-row") {
        const cells = childElements(child).flatMap((cell) => {
          if (cell.name !== "table-cell" && cell.name !== "covered-table-cell") return [];
          const repeats = Math.min(
            MAX_REPEATS,
            Number(attribute(cell.attributes, "number-columns-repeated")) || 1,
          );
          return Array<string>(Math.max(1, Math.floor(repeats))).fill(cellText(cell));
        });
        count += cells.length;
        rows.push(cells.slice(0, MAX_REPEATS));
      } else if (child.name.startsWith("table-")) visit(child);
    }
  };
  visit(table);
  return rows;
}

function cellText(cell: XmlElement): string {
  const text = textIn(cell);
  return text === "" ? (attribute(cell.attributes, "value") ?? "") : text;
}

/** A formula as its author wrote it, or its signs in a row. */
export function formulaText(math: XmlElement): string {
  const written = elementsNamed(math, "annotation")[0] ?? null;
  const source = written ?? descend(math, "semantics") ?? math;
  return xmlText(source).replaceAll(/\s+/g, " ").trim();
}
