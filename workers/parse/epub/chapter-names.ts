import type { ContentsEntry } from "./contents.ts";

/** What a piece of a book is called, and what stands above it. */
export interface ChapterName {
  readonly chapter: string;
  readonly headings: readonly string[];
}

/** Pieces shorter than this on the average are not worth being parts of their own; characters. */
const MIN_PIECE_LENGTH = 3000;
const heading = /^#{1,6} (.+)$/;

/** The places in one file at which a chapter of its own begins: those of the outermost level that the file has. */
export function chapterStarts(entries: readonly ContentsEntry[], sourceLength: number): ContentsEntry[] {
  const levels = [...new Set(entries.map(({ above }) => above.length))].sort((a, b) => a - b);
  const upTo = (level: number): ContentsEntry[] => entries.filter(({ above }) => above.length <= level);
  let starts = upTo(levels[0] ?? 0);
  for (const level of levels.slice(1)) {
    const more = upTo(level);
    if (sourceLength / more.length < MIN_PIECE_LENGTH) break;
    starts = more;
  }
  return starts;
}

/** Place in a file → what it is called: where a part begins with its first chapter, that chapter. */
export function namesByPlace(entries: readonly ContentsEntry[]): Map<string | null, ContentsEntry> {
  const names = new Map<string | null, ContentsEntry>();
  for (const entry of entries) {
    const known = names.get(entry.fragment);
    if (known === undefined || entry.above.at(known.above.length) === known.title)
      names.set(entry.fragment, entry);
  }
  return names;
}

export interface NamedPiece {
  readonly text: string;
  /** The line of the table of contents that leads here; null when none does. */
  readonly entry: ContentsEntry | null;
  /** The last one before it. */
  readonly before: ContentsEntry | null;
  /** The name of its file. */
  readonly fileName: string;
}

/** From the table of contents, else its own heading; what goes on without either belongs to the chapter before it. */
export function nameOf({ text, entry, before, fileName }: NamedPiece): ChapterName {
  const own = firstHeading(text);
  if (entry === null && own !== null) return { chapter: own, headings: [] };
  const named = entry ?? before;
  if (named === null) return { chapter: fileName, headings: [] };
  const repeats = own !== null && entry !== null && sameTitle(own, named.title);
  return { chapter: named.title, headings: repeats ? named.above : [...named.above, named.title] };
}

/** The heading that it begins with. */
function firstHeading(text: string): string | null {
  const end = text.indexOf("\n");
  return heading.exec((end === -1 ? text : text.slice(0, end)).slice(0, 500))?.[1] ?? null;
}

function sameTitle(heading: string, title: string): boolean {
  const [a, b] = [plain(heading), plain(title)];
  return a === b || (Math.min(a.length, b.length) > 3 && (a.includes(b) || b.includes(a)));
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");
}
