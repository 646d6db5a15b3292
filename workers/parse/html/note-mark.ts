import { type Element, type Node } from "./tree.ts";

/** Marks of notes have at most so many nodes. */
const MAX_NODES = 10;

/** What an element is, in the words of EPUB or ARIA. */
export function typesOf(element: Element): string[] {
  return (element.attributes["epub:type"] ?? element.attributes["role"] ?? "").split(/\s+/);
}

/** A raised number that leads to a note would melt into the word before it. */
export function isNoteMark(element: Element): boolean {
  if (element.name !== "a" && element.name !== "sup") return false;
  const types = typesOf(element);
  const marked = types.includes("noteref") || types.includes("doc-noteref");
  const other = element.name === "a" ? "sup" : "a";
  const inner = element.children.find((child): child is Element => typeof child !== "string");
  if (!marked && inner?.name !== other) return false;
  const text = shortText(element);
  return (marked || shortText(inner ?? "") === text) && /^[\w*†‡§]{1,5}$/.test(text ?? "");
}

/** Its text, or null when it has more nodes than any mark: marks are looked for in marks in marks. */
export function shortText(root: Node): string | null {
  let text = "";
  let nodes = 0;
  const visit = (node: Node): void => {
    if (++nodes > MAX_NODES) return;
    if (typeof node === "string") text += node;
    else for (const child of node.children.slice(0, MAX_NODES)) visit(child);
  };
  visit(root);
  return nodes > MAX_NODES ? null : text.trim();
}
