import { type Handler, Parser } from "htmlparser2";

/** A light tree: all that is needed to find the content and write it down. Text is a plain string. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Node[];
}

export type Node = Element | string;

/** Elements deeper than this hang on the one at this depth: what walks the tree may recurse. */
const MAX_DEPTH = 200;
/** When more elements are open than this, all but what holds the page is closed. */
const MAX_OPEN = 1000;
/** What holds the page, as far as it stands around all else. */
const holders: ReadonlySet<string> = new Set(["#root", "html", "body", "main", "article"]);
/** Characters that are parsed between two looks at that. */
const PIECE_LENGTH = 16 * 1024;
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
/** Their content is text to the parser, whatever it looks like. */
const raw: ReadonlySet<string> = new Set(["script", "style", "title", "textarea", "xmp"]);

export interface Tree {
  /** Named "#root". */
  readonly root: Element;
  /** Elements were nested deeper than any person nests them, and were flattened. */
  readonly flattened: boolean;
}

/** Parses any HTML, however broken. Scripts, styles and the like are left out. */
export function parseTree(html: string): Tree {
  const builder = createBuilder();
  const options = { decodeEntities: true, recognizeSelfClosing: html.startsWith("<?xml") };
  let parser = new Parser(builder.handler, options);
  for (let at = 0; at < html.length;) {
    const tag = html.indexOf("<", at + PIECE_LENGTH);
    const end = tag === -1 ? html.length : tag;
    parser.write(html.slice(at, end));
    at = end;
    // The parser searches all its open elements at many a tag: that must not become quadratic.
    if (builder.openElements() > MAX_OPEN) {
      builder.closeMost(() => parser.end());
      parser = new Parser(builder.handler, options);
    }
  }
  parser.end();
  return builder.tree();
}

interface Builder {
  readonly handler: Partial<Handler>;
  /** How many are open; 0 inside of raw text, where the parser must not be changed. */
  openElements(): number;
  /** Goes on in what holds the page; `end` ends the parser, which closes all that it knows. */
  closeMost(end: () => void): void;
  tree(): Tree;
}

function createBuilder(): Builder {
  const root: Element = { name: "#root", attributes: {}, children: [] };
  const open: Element[] = [root];
  let depth = 0;
  let skipping = 0;
  let inRaw = false;
  let closing = false;
  let flattened = false;
  const handler: Partial<Handler> = {
    onopentag(name, attributes) {
      inRaw = raw.has(name);
      if (skipping > 0 || isUnseen(name, attributes)) {
        if (skipping === 0 && name === "iframe" && attributes["srcdoc"] !== undefined)
          open.at(-1)?.children.push(framed(attributes["srcdoc"]));
        skipping++;
        return;
      }
      depth++;
      if (depth < MAX_DEPTH) {
        const element: Element = { name, attributes, children: [] };
        open.at(-1)?.children.push(element);
        open.push(element);
      } else {
        // What would be nested follows instead; a space keeps words apart.
        open.at(-1)?.children.push(" ");
        flattened = true;
      }
    },
    onclosetag() {
      inRaw = false;
      if (closing) return;
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
  };
  return {
    handler,
    openElements: () => (inRaw ? 0 : depth + skipping),
    closeMost(end) {
      closing = true;
      end();
      closing = false;
      const inner = open.findIndex((element) => !holders.has(element.name));
      if (inner !== -1) open.length = inner;
      depth = 0;
      skipping = 0;
    },
    tree: () => ({ root, flattened }),
  };
}

/** A template that is the shadow of an element is shown in its place. */
function isUnseen(name: string, attributes: Readonly<Record<string, string>>): boolean {
  if (!unseen.has(name)) return false;
  return name !== "template" || (attributes["shadowrootmode"] ?? attributes["shadowroot"]) === undefined;
}

/** The page in a frame that a program saved with the page around it. Frames in it are left out. */
function framed(source: string): Element {
  const { root } = parseTree(source.replaceAll(/<iframe\b/gi, "<object"));
  return { name: "div", attributes: {}, children: root.children };
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

/** Its text, runs of white space made one space; the wide space of CJK text stays. */
export function textContent(node: Node): string {
  const pieces: string[] = [];
  collectText(node, pieces);
  return pieces
    .join("")
    .replaceAll(/[^\S\u3000]+/g, " ")
    .trim();
}

function collectText(node: Node, pieces: string[]): void {
  if (typeof node === "string") pieces.push(node);
  else for (const child of node.children) collectText(child, pieces);
}

export function classesOf(element: Element): string {
  return element.attributes["class"] ?? "";
}
