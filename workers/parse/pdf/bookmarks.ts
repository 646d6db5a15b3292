import type { PDFDocumentProxy } from "pdfjs-dist";
import { titleFrom } from "../title.ts";

/** An entry of the document's own outline. */
export interface Bookmark {
  readonly title: string;
  /** 1 is the outermost. */
  readonly level: number;
  /** Index of the page that it leads to. */
  readonly page: number;
}

type Outline = Awaited<ReturnType<PDFDocumentProxy["getOutline"]>>;

/** More entries are left out. */
const MAX_BOOKMARKS = 5000;
const MAX_DEPTH = 6;

/** The bookmarks that lead to a page, in their order. `pageOf` knows a page by the number of its object. */
export async function readBookmarks(
  document: PDFDocumentProxy,
  pageOf: ReadonlyMap<string, number>,
): Promise<Bookmark[]> {
  const outline = (await document.getOutline()) as Outline | null;
  const bookmarks: Bookmark[] = [];
  const waiting = (outline ?? []).map((node) => ({ node, level: 1 })).reverse();
  let seen = 0;
  for (let next = waiting.pop(); next !== undefined && seen < MAX_BOOKMARKS; next = waiting.pop(), seen++) {
    const { node, level } = next;
    const title = titleFrom(node.title);
    const page = await pageIndex(document, node.dest, pageOf);
    if (title !== null && page !== undefined) bookmarks.push({ title, level, page });
    if (level === MAX_DEPTH) continue;
    for (const child of [...(node.items as Outline)].reverse())
      waiting.push({ node: child, level: level + 1 });
  }
  return inOrderOfPages(bookmarks);
}

/** Bookmarks that lead back (an index of tables, say) are no headings. */
function inOrderOfPages(bookmarks: readonly Bookmark[]): Bookmark[] {
  let last = 0;
  return bookmarks.filter((bookmark) => {
    if (bookmark.page < last) return false;
    last = bookmark.page;
    return true;
  });
}

async function pageIndex(
  document: PDFDocumentProxy,
  destination: string | unknown[] | null,
  pageOf: ReadonlyMap<string, number>,
): Promise<number | undefined> {
  const explicit = typeof destination === "string" ? await document.getDestination(destination) : destination;
  const target: unknown = explicit?.[0];
  if (typeof target === "number") return target;
  return isReference(target) ? pageOf.get(referenceKey(target)) : undefined;
}

interface Reference {
  readonly num: number;
  readonly gen: number;
}

function isReference(value: unknown): value is Reference {
  return typeof value === "object" && value !== null && "num" in value && "gen" in value;
}

export function referenceKey({ num, gen }: Reference): string {
  return `${num} ${gen}`;
}
