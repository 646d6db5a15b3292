import { typesOf } from "../html/note-mark.ts";
import { type Element, findElement, parseTree, textContent } from "../html/tree.ts";
import { titleFrom } from "../title.ts";
import { childElements, descend, elementsNamed, type XmlElement, xmlText } from "../xml/tree.ts";
import { type BookPaths, splitTarget } from "./paths.ts";

/** One line of the table of contents. */
export interface ContentsEntry {
  readonly title: string;
  readonly entry: string;
  /** Where in the file it begins; null for its start. */
  readonly fragment: string | null;
  /** Titles of what it belongs to, outermost first. */
  readonly above: readonly string[];
}

const MAX_ENTRIES = 20_000;
const MAX_DEPTH = 20;

interface Place {
  readonly path: string;
  readonly paths: BookPaths;
}

/** The table of contents of EPUB 3, an XHTML file, and the covers and tables that it names. */
export function navContents(xhtml: string, place: Place): ContentsEntry[] {
  const { root } = parseTree(xhtml);
  const toc =
    findElement(root, (element) => element.name === "nav" && typesOf(element).includes("toc")) ??
    findElement(root, (element) => element.name === "nav");
  const list = toc === null ? null : findElement(toc, ({ name }) => name === "ol" || name === "ul");
  const entries: ContentsEntry[] = [];
  if (list !== null) readList(list, [], place, entries);
  return entries;
}

/** Entries that the nav file marks as of that type: `cover`, `toc`. */
export function landmarks(xhtml: string, type: string, { path, paths }: Place): string[] {
  const { root } = parseTree(xhtml);
  const nav = findElement(
    root,
    (element) => element.name === "nav" && typesOf(element).includes("landmarks"),
  );
  const found: string[] = [];
  const visit = (element: Element): void => {
    for (const child of element.children) {
      if (typeof child === "string") continue;
      if (child.name === "a" && typesOf(child).includes(type)) {
        const entry = paths.resolve(path, child.attributes["href"] ?? "");
        if (entry !== null) found.push(entry);
      }
      visit(child);
    }
  };
  if (nav !== null) visit(nav);
  return found;
}

function readList(list: Element, above: readonly string[], place: Place, entries: ContentsEntry[]): void {
  for (const item of list.children) {
    if (typeof item === "string" || item.name !== "li") continue;
    const inner = item.children.filter((child): child is Element => typeof child !== "string");
    const label = inner.find(({ name }) => name === "a" || name === "span" || name === "p");
    const link =
      label === undefined || label.name === "a" ? label : findElement(label, ({ name }) => name === "a");
    const title = label === undefined ? null : titleFrom(textContent(label));
    if (title !== null) add(title, link?.attributes["href"], above, place, entries);
    const nested = inner.find(({ name }) => name === "ol" || name === "ul");
    if (nested !== undefined && above.length < MAX_DEPTH) {
      readList(nested, title === null ? above : [...above, title], place, entries);
    }
  }
}

/** The table of contents of EPUB 2. */
export function ncxContents(root: XmlElement, place: Place): ContentsEntry[] {
  const entries: ContentsEntry[] = [];
  const visit = (parent: XmlElement, above: readonly string[]): void => {
    for (const point of childElements(parent, "navPoint")) {
      const title = titleFrom(xmlText(descend(point, "navLabel", "text")));
      if (title !== null) add(title, descend(point, "content")?.attributes["src"], above, place, entries);
      if (above.length < MAX_DEPTH) visit(point, title === null ? above : [...above, title]);
    }
  };
  for (const map of elementsNamed(root, "navMap")) visit(map, []);
  return entries;
}

function add(
  title: string,
  href: string | undefined,
  above: readonly string[],
  { path, paths }: Place,
  entries: ContentsEntry[],
): void {
  const entry = href === undefined || href === "" ? null : paths.resolve(path, href);
  if (entry === null || href === undefined || entries.length >= MAX_ENTRIES) return;
  entries.push({ title, entry, fragment: splitTarget(href).fragment, above });
}
