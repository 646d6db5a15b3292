import type { Element, Node } from "./tree.ts";

const voids: ReadonlySet<string> = new Set(
  "area base br col embed hr img input link meta param source track wbr".split(" "),
);
const name = /^[a-z][\w:.-]*$/i;

/** The tree as HTML again, for what wants a page in its own model. */
export function toHtml(element: Element): string {
  const pieces: string[] = [];
  write(element, pieces);
  return pieces.join("");
}

function write(node: Node, pieces: string[]): void {
  if (typeof node === "string") {
    pieces.push(escaped(node));
    return;
  }
  // The root of the tree is no element, and oddly named ones are only what they hold.
  const shown = name.test(node.name) ? (node.name === "xmp" ? "pre" : node.name) : null;
  if (shown !== null) {
    pieces.push("<", shown);
    for (const [key, value] of Object.entries(node.attributes))
      if (name.test(key)) pieces.push(" ", key, '="', escaped(value), '"');
    pieces.push(">");
  }
  for (const child of node.children) write(child, pieces);
  if (shown !== null && !voids.has(shown)) pieces.push("</", shown, ">");
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
