import type { Bookmark } from "./bookmarks.ts";
import type { Block, Line } from "./page-blocks.ts";

/** Lines of a page that are a heading: `count` blocks from `first` on. */
export interface HeadingMark {
  readonly first: number;
  readonly count: number;
  readonly level: number;
  readonly text: string;
}

interface Candidate extends Omit<HeadingMark, "level"> {
  readonly page: number;
  readonly size: number;
  readonly height: number;
  /** Told by a bookmark. */
  readonly level: number | null;
}

const MAX_LEVEL = 6;
const MAX_LINES = 3;
const MAX_LENGTH = 200;
/** Below this share of the page's height stand footers. */
const FOOT = 0.06;
/** A heading's font is larger than the text's by this factor, and by this much in units of the page. */
const LARGER = 1.08;
const LARGER_BY = 0.8;
/** A font with more than this share of all characters is the text's, whatever its size. */
const MAX_SHARE = 0.2;
/** A font whose pieces are longer than a heading more often than this is none of headings. */
const MAX_LONG = 0.4;

/** Headings of each page: lines that a bookmark names, and lines in a plainly larger font. */
export function findHeadings(
  pages: readonly (readonly Block[])[],
  bookmarks: readonly Bookmark[],
): HeadingMark[][] {
  const byPage = new Map<number, Bookmark[]>();
  for (const bookmark of bookmarks)
    byPage.set(bookmark.page, [...(byPage.get(bookmark.page) ?? []), bookmark]);
  const named = pages.map((blocks, page) => namedLines(blocks, page, byPage.get(page) ?? []));
  const fonts = fontsOf(pages);
  const marks = pages.map((blocks, page) => {
    const taken = named[page] ?? [];
    const large = pieces(blocks, page).filter(
      (piece) =>
        fonts.has(piece.size) &&
        isHeadingText(piece) &&
        !taken.some(
          (other) => other.first < piece.first + piece.count && piece.first < other.first + other.count,
        ),
    );
    return [...taken, ...large].sort((a, b) => a.first - b.first);
  });
  const levels = levelsOf(fonts, marks.flat());
  return marks.map((list) =>
    list.map(({ first, count, text, size, level }) => ({
      first,
      count,
      text,
      level: level ?? levels.get(size) ?? MAX_LEVEL,
    })),
  );
}

function classOf(size: number): number {
  return Math.round(size * 2) / 2;
}

/** Lines that follow one another in one font, as one piece. */
function pieces(blocks: readonly Block[], page: number): Candidate[] {
  const found: (Candidate & { count: number; text: string })[] = [];
  let last: (Candidate & { count: number; text: string }) | null = null;
  for (const [index, block] of blocks.entries()) {
    // Text that is turned (a stamp, a watermark) heads nothing.
    if (block.kind !== "line" || block.height === null) {
      last = null;
      continue;
    }
    const size = classOf(block.size);
    if (last !== null && last.size === size && !block.opens) {
      last.count++;
      last.text += joint(last.text) + block.text;
    } else {
      const { text, height } = block;
      last = { first: index, count: 1, text, page, size, height, level: null };
      found.push(last);
    }
  }
  return found;
}

/** Sizes of fonts that headings are set in, the largest first. */
function fontsOf(pages: readonly (readonly Block[])[]): ReadonlySet<number> {
  const fonts = new Map<number, { chars: number; pieces: number; long: number }>();
  let all = 0;
  for (const [page, blocks] of pages.entries()) {
    for (const piece of pieces(blocks, page)) {
      const font = fonts.get(piece.size) ?? { chars: 0, pieces: 0, long: 0 };
      font.chars += piece.text.length;
      font.pieces++;
      if (piece.count > MAX_LINES || piece.text.length > MAX_LENGTH) font.long++;
      fonts.set(piece.size, font);
      all += piece.text.length;
    }
  }
  const [usual] = [...fonts].reduce(
    (most, font) => (font[1].chars > most[1].chars ? font : most),
    [0, { chars: 0, pieces: 0, long: 0 }],
  );
  const sizes = [...fonts].flatMap(([size, { chars, pieces: count, long }]) =>
    size >= usual * LARGER &&
    size >= usual + LARGER_BY &&
    chars <= all * MAX_SHARE &&
    long <= count * MAX_LONG
      ? [size]
      : [],
  );
  return new Set(sizes.sort((a, b) => b - a));
}

/** Not a line of a table of contents, a footer, a formula. */
function isHeadingText({ text, count, height }: Candidate): boolean {
  if (count > MAX_LINES || text.length > MAX_LENGTH || height < FOOT) return false;
  if (/…\s*[\divxlc]+$/u.test(text)) return false;
  return /^[\p{L}\p{N}"'“„‘«‹(¿¡§【「『《]/u.test(text) && /\p{L}{2}|\p{sc=Han}/u.test(text);
}

/** Levels by size; where bookmarks name headings of some sizes, the others are placed around those. */
function levelsOf(fonts: ReadonlySet<number>, marks: readonly Candidate[]): Map<number, number> {
  const known = new Map<number, number>();
  for (const { size, level } of marks) {
    if (level !== null && fonts.has(size)) known.set(size, Math.min(level, known.get(size) ?? MAX_LEVEL));
  }
  const used = new Set(marks.map((mark) => mark.size));
  const levels = new Map<number, number>();
  let above = 0;
  let met = known.size === 0;
  for (const size of fonts) {
    if (!used.has(size)) continue;
    const own = known.get(size);
    met ||= own !== undefined;
    above = Math.min(own ?? (met ? above + 1 : 1), MAX_LEVEL);
    levels.set(size, above);
  }
  return levels;
}

/** Lines that say what a bookmark to their page says. */
function namedLines(blocks: readonly Block[], page: number, bookmarks: readonly Bookmark[]): Candidate[] {
  if (bookmarks.length === 0) return [];
  const levels = new Map<string, number>();
  for (const { title, level } of bookmarks) levels.set(keyOf(title), level);
  const found: Candidate[] = [];
  for (let first = 0; first < blocks.length && levels.size > 0; first++) {
    const lines = linesFrom(blocks, first);
    let text = "";
    for (const [at, line] of lines.entries()) {
      text += at === 0 ? line.text : joint(text) + line.text;
      const level = levels.get(keyOf(text));
      // A page number above the heading is not its own.
      if (level === undefined || (at > 0 && levels.has(keyOf(line.text)))) continue;
      levels.delete(keyOf(text));
      found.push({
        first,
        count: at + 1,
        level: Math.min(level, MAX_LEVEL),
        text,
        page,
        size: classOf(line.size),
        height: line.height ?? 0,
      });
      first += at;
      break;
    }
  }
  return found;
}

function linesFrom(blocks: readonly Block[], first: number): Line[] {
  const lines: Line[] = [];
  for (const block of blocks.slice(first, first + MAX_LINES)) {
    if (block.kind !== "line" || block.text.length > MAX_LENGTH) break;
    lines.push(block);
  }
  return lines;
}

function joint(text: string): string {
  return /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\u3000-\u303f]$/u.test(text) ? "" : " ";
}

/** Titles are compared by their letters and digits, without a number in front. */
export function keyOf(title: string): string {
  const plain = title.normalize("NFKC").toLowerCase();
  const bare = plain.replace(
    /^\s*(?:(?:chapter|section|appendix|part|kapitel)\s+)?[\divxlc]{1,6}(?:\.\d{1,3}){0,5}[.):]?\s+/u,
    "",
  );
  return (/\p{L}/u.test(bare) ? bare : plain).replaceAll(/[^\p{L}\p{N}]+/gu, "");
}
