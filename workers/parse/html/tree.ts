import { Parser } from "htmlparser2";

/** A light tree: all that is needed to find the content and write it down. Text is a plain string. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Node[];
}

export type Node = Element | string;

/** Elements deeper than this hang on the one at this depth: what walks the tree may recurse. */
const MAX_DEPTH = 200;
/** Never shown, and their content is no text. */
const unseen: ReadonlySet<string> = new Set([
  "script",
  "style",
  "noscript",
  "template",
  "iframe",
  "object",
  "embed",
  "canvas",
  "audio",
  "video",
  "select",
  "datalist",
  "textarea",
  "input",
]);

export interface Tree {
  /** Named "#root". */
  readonly root: Element;
  /** Elements were nested deeper than any person nests them, and were flattened. */
  readonly flattened: boolean;
}

/** Parses any HTML, however broken. Scripts, styles and the like are left out. */
export function parseTree(html: string): Tree {
  const root: Element = { name: "#root", attributes: {}, children: [] };
  const open: Element[] = [root];
  let depth = 0;
  let skipping = 0;
  let flattened = false;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (skipping > 0 || unseen.has(name)) {
          skipping++;
          return;
        }
        depth++;
        if (depth >= MAX_DEPTH) {
          // What would be nested follows instead; a space keeps words apart.
          open.at(-1)?.children.push(" ");
          flattened = true;
          return;
        }
        const element: Element = { name, attributes, children: [] };
        open.at(-1)?.children.push(element);
        open.push(element);
      },
      onclosetag() {
        if (skipping > 0) {
          skipping--;
          return;
        }
        if (depth < MAX_DEPTH && open.length > 1) open.pop();
        depth = Math.max(0, depth - 1);
      },
      ontext(text) {
        if (skipping === 0) open.at(-1)?.children.push(text);
      },
    },
    {
      decodeEntities: true,
      lowerCaseTags: true,
      lowerCaseAttributeNames: true,
      recognizeSelfClosing: html.startsWith("<?xml"),
    },
  );
  parser.end(html);
  return { root, flattened };
}

/** The first element that passes, in document order. */
export function findElement(root: Element, passes: (element: Element) => boolean): Element | null {
  for (const child of root.children) {
    if (typeof child === "string") continue;
    if (passes(child)) return child;
    const found = findElement(child, passes);
    if (found !== null) return found;
  }
  return null;
}

/** Its text, runs of white space made one space. */
export function textContent(node: Node): string {
  const pieces: string[] = [];
  collectText(node, pieces);
  return pieces.join("").replaceAll(/\s+/g, " ").trim();
}

function collectText(node: Node, pieces: string[]): void {
  if (typeof node === "string") pieces.push(node);
  else for (const child of node.children) collectText(child, pieces);
}

export function classesOf(element: Element): string {
  return element.attributes["class"] ?? "";
}
