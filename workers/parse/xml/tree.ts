import { ReadProblem } from "../reader.ts";
import { walkXml } from "./walk.ts";

/** An element of an XML document; its name has no prefix, the names of its attributes keep theirs. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: (XmlElement | string)[];
}

export interface XmlTree {
  /** Named "#root". */
  readonly root: XmlElement;
  /** Why the tree ends early; null when it is whole. */
  readonly problem: ReadProblem | null;
}

/** Elements of one document; more are not of a person's making and would fill the memory. */
const MAX_ELEMENTS = 400_000;

/**
 * A whole document as a tree, for formats whose order is not the order of reading. Text that is not well-formed is mended where
 * the mistake is a common one, else the tree holds what came before the mistake.
 * @throws ReadProblem too_complex.
 */
export async function xmlTree(xml: string): Promise<XmlTree> {
  const tree = await build(xml);
  if (tree.problem === null) return tree;
  const mended = mend(xml);
  if (mended === xml) return tree;
  const second = await build(mended);
  return second.problem === null ? second : tree;
}

async function build(xml: string): Promise<XmlTree> {
  const root: XmlElement = { name: "#root", attributes: {}, children: [] };
  const open: XmlElement[] = [root];
  let count = 0;
  try {
    await walkXml(xml, {
      open(name, attributes) {
        if (++count > MAX_ELEMENTS) throw new ReadProblem("too_complex", "Its XML has too many elements.");
        const element: XmlElement = { name, attributes: compact(attributes), children: [] };
        open.at(-1)?.children.push(element);
        open.push(element);
      },
      text: (text) => open.at(-1)?.children.push(text),
      close: () => open.pop(),
    });
  } catch (error) {
    if (!(error instanceof ReadProblem) || error.failure === "too_complex") throw error;
    return { root, problem: error };
  }
  return { root, problem: null };
}

const none: Readonly<Record<string, string>> = {};

/** Attributes as the parser gives them take ten times the memory. */
function compact(attributes: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const _ in attributes) return { ...attributes };
  return none;
}

// oxlint-disable-next-line no-control-regex -- characters that XML forbids and careless programs write
const forbidden = /[\0-\x08\x0b\x0c\x0e-\x1f\uFFFE\uFFFF]/g;
/** An ampersand that begins no entity of XML's own. */
const looseAmpersand = /&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-fA-F]{1,6});)/g;

function mend(xml: string): string {
  return xml
    .trimStart()
    .replaceAll(forbidden, " ")
    .replaceAll("&nbsp;", "\u00A0")
    .replaceAll(looseAmpersand, "&amp;");
}

export function childElements(element: XmlElement, name?: string): XmlElement[] {
  return element.children.filter(
    (child): child is XmlElement => typeof child !== "string" && (name === undefined || child.name === name),
  );
}

/** The first child of that name, then the first child of that by the next name, and so on. */
export function descend(element: XmlElement | null, ...names: readonly string[]): XmlElement | null {
  let at = element;
  for (const name of names) {
    if (at === null) return null;
    at =
      at.children.find((child): child is XmlElement => typeof child !== "string" && child.name === name) ??
      null;
  }
  return at;
}

/** All elements of that name below, in document order; those inside of a found one are not looked for. */
export function elementsNamed(root: XmlElement, name: string): XmlElement[] {
  const found: XmlElement[] = [];
  const visit = (element: XmlElement): void => {
    for (const child of element.children) {
      if (typeof child === "string") continue;
      if (child.name === name) found.push(child);
      else visit(child);
    }
  };
  visit(root);
  return found;
}

/** Its text as it stands, that of its children with it. */
export function xmlText(element: XmlElement | null): string {
  if (element === null) return "";
  const pieces: string[] = [];
  const visit = (inner: XmlElement): void => {
    for (const child of inner.children) {
      if (typeof child === "string") pieces.push(child);
      else visit(child);
    }
  };
  visit(element);
  return pieces.join("");
}
