import { type Bookmark } from "./bookmarks.ts";
import { type HeadingMark, keyOf } from "./headings.ts";

/** What stands above a page. */
export interface Above {
  /** Headings in force all over the page, outermost first. */
  readonly headings: readonly string[];
  readonly chapter: string | null;
}

interface Section {
  readonly level: number;
  readonly title: string;
}

/** Which sections of earlier pages go on through each page. */
export function sectionsAbove(
  marks: readonly (readonly HeadingMark[])[],
  bookmarks: readonly Bookmark[],
): Above[] {
  const byPage = new Map<number, Bookmark[]>();
  for (const bookmark of bookmarks)
    byPage.set(bookmark.page, [...(byPage.get(bookmark.page) ?? []), bookmark]);
  const chapterLevel = levelOfChapters(bookmarks);
  const open: Section[] = [];
  let chapter: string | null = null;
  return marks.map((list, page) => {
    const own = byPage.get(page) ?? [];
    const drawn = new Set(list.map((mark) => keyOf(mark.text)));
    for (const { level, title } of own) if (!drawn.has(keyOf(title))) enter(open, { level, title });
    const outermost = Math.min(...list.map((mark) => mark.level));
    const headings = open.filter((section) => section.level < outermost).map((section) => section.title);
    for (const { level, text } of list) enter(open, { level, title: text });
    const chapters = own.filter((bookmark) => bookmark.level === chapterLevel);
    const first = chapters[0];
    const startsWith = first !== undefined && (chapter === null || startsPage(list, first));
    const here: string | null = startsWith ? first.title : chapter;
    chapter = chapters.at(-1)?.title ?? chapter;
    return { headings, chapter: here };
  });
}

/** The level that divides the document: one bookmark above all others is its title. */
function levelOfChapters(bookmarks: readonly Bookmark[]): number {
  for (let level = 1; level <= 2; level++) {
    if (bookmarks.filter((bookmark) => bookmark.level === level).length > 1) return level;
  }
  return 1;
}

/** A bookmark that names no line of its page, or one of its first. */
function startsPage(list: readonly HeadingMark[], bookmark: Bookmark): boolean {
  const mark = list.find((other) => keyOf(other.text) === keyOf(bookmark.title));
  return mark === undefined || mark.first <= 2;
}

function enter(open: Section[], section: Section): void {
  while ((open.at(-1)?.level ?? 0) >= section.level) open.pop();
  open.push(section);
}
