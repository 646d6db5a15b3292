import type { Element } from "../html/tree.ts";
import type { Piece } from "./chapter.ts";

/** Elements that only hold others: a cut may run through them. */
const containers: ReadonlySet<string> = new Set([
  "html",
  "body",
  "div",
  "section",
  "article",
  "main",
  "header",
  "#root",
]);
/** Private characters, so that no text of a book is taken for a mark. */
const OPENING = "\uE0F1";
const CLOSING = "\uE0F2";
const mark = new RegExp(`^${OPENING}(\\d{1,6})${CLOSING}$`, "gm");

/**
 * Puts a mark of its own line before each element with one of these ids, or before the block that it stands in. Answers the
 * ids in the order of their marks.
 */
export function markAnchors(body: Element, ids: ReadonlySet<string>): string[] {
  const found: string[] = [];
  if (ids.size === 0) return found;
  const seen = new Set<string>();
  const visit = (parent: Element): void => {
    const children = parent.children.splice(0);
    for (const child of children) {
      if (typeof child !== "string") {
        const inside = containers.has(child.name) ? ownIds(child) : idsWithin(child);
        for (const id of inside.filter((id) => ids.has(id) && !seen.has(id))) {
          seen.add(id);
          parent.children.push({
            name: "p",
            attributes: {},
            children: [`${OPENING}${found.length}${CLOSING}`],
          });
          found.push(id);
        }
        if (containers.has(child.name)) visit(child);
      }
      parent.children.push(child);
    }
  };
  visit(body);
  return found;
}

function ownIds({ attributes, name }: Element): string[] {
  return [attributes["id"], name === "a" ? attributes["name"] : undefined].filter((id) => id !== undefined);
}

function idsWithin(element: Element): string[] {
  const ids: string[] = [];
  const visit = (inner: Element): void => {
    ids.push(...ownIds(inner));
    for (const child of inner.children) if (typeof child !== "string") visit(child);
  };
  visit(element);
  return ids;
}

/** Cuts Markdown at its marks; pieces without text are left out. */
export function partAtAnchors(markdown: string, ids: readonly string[]): Piece[] {
  if (ids.length === 0) return markdown.trim() === "" ? [] : [{ fragment: null, text: markdown }];
  const pieces: Piece[] = [];
  let fragment: string | null = null;
  let start = 0;
  const close = (end: number): void => {
    const text = markdown.slice(start, end).trim();
    if (text !== "") pieces.push({ fragment, text: `${text}\n` });
  };
  for (const match of markdown.matchAll(mark)) {
    const id = ids[Number(match[1])];
    if (id === undefined) continue;
    close(match.index);
    fragment = id;
    start = match.index + match[0].length;
  }
  close(markdown.length);
  return pieces;
}
