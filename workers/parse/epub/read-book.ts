import { type Archive, openArchive } from "../archive/zip.ts";
import { fewWarnings } from "../few-warnings.ts";
import { type ParsedFile, type Part, type ReadInput, ReadProblem } from "../reader.ts";
import { type Chapter, type Piece, readChapter } from "./chapter.ts";
import { chapterStarts, namesByPlace, nameOf } from "./chapter-names.ts";
import type { ContentsEntry } from "./contents.ts";
import { type Book, openBook } from "./open-book.ts";
import { isReadable, type SpineItem } from "./package-document.ts";
import { createPaths } from "./paths.ts";
import { drmProblem, type Protection, protectionOf } from "./protection.ts";

/** Characters of one chapter's file; one that is longer is left out so that the others are read. */
const MAX_CHAPTER_LENGTH = 16 * 1024 * 1024;
/** A cover has no more text than this, a page that only lists links at least so many; characters and links. */
const MAX_COVER_LENGTH = 300;
const MIN_LISTED_LINKS = 5;
const LIST_LINK_SHARE = 0.8;

/** @throws ReadProblem needs_password (DRM), no_text, corrupt, too_complex. */
export async function readBook(input: ReadInput): Promise<ParsedFile> {
  const archive = await openArchive(input.bytes);
  const paths = createPaths(archive);
  const protection = await protectionOf(archive, paths);
  const book = await openBook(archive, paths);
  const reading = new BookReading(archive, book, protection, input);
  for (const item of book.spine) {
    input.signal?.throwIfAborted();
    await reading.read(item);
  }
  return reading.result();
}

class BookReading {
  readonly #archive: Archive;
  readonly #book: Book;
  readonly #protection: Protection;
  readonly #maxChars: number;
  readonly #starts = new Map<string, ContentsEntry[]>();
  readonly #parts: Part[] = [];
  readonly #missing: string[] = [];
  #before: ContentsEntry | null = null;
  #characters = 0;
  #protected = 0;
  #locked: ReadProblem | null = null;
  #skippedForLength = 0;

  constructor(archive: Archive, book: Book, protection: Protection, { limits }: ReadInput) {
    this.#archive = archive;
    this.#book = book;
    this.#protection = protection;
    this.#maxChars = limits.maxTextChars;
    for (const entry of book.contents) {
      const others = this.#starts.get(entry.entry);
      if (others === undefined) this.#starts.set(entry.entry, [entry]);
      else others.push(entry);
    }
  }

  async read(item: SpineItem): Promise<void> {
    const { entry } = item;
    if (!isReadable(item.mediaType) || (entry !== null && entry === this.#navOnly(entry))) return;
    if (entry === null) return this.#miss(item, "it is not in the file");
    if (this.#protection.encrypted.has(entry)) {
      this.#protected++;
      return this.#miss(item, "it is protected by DRM");
    }
    try {
      const source = await this.#archive.text(entry);
      if (source === null) return this.#miss(item, "it is not in the file");
      if (!/<[a-z!]/i.test(source)) return this.#miss(item, "it is no web page");
      if (source.length > MAX_CHAPTER_LENGTH) return this.#miss(item, "it is longer than any chapter");
      this.#add(entry, source);
    } catch (error) {
      if (!(error instanceof ReadProblem)) throw error;
      if (error.failure === "needs_password") this.#locked ??= error;
      this.#miss(item, error.message);
    }
  }

  result(): ParsedFile {
    const { title, metadata, warnings } = this.#book;
    if (this.#parts.length === 0) throw this.#nothing();
    const all = [...warnings, ...this.#missing];
    if (this.#skippedForLength > 0) {
      all.push(`The book is too long: ${this.#skippedForLength} of its chapters at the end were left out.`);
    }
    return {
      title,
      parts: this.#parts,
      metadata: { ...metadata, chapters: this.#book.spine.length },
      warnings: fewWarnings(all),
    };
  }

  /** The table of contents itself is no chapter, unless it says that it is one. */
  #navOnly(entry: string): string | null {
    return this.#book.tables.has(entry) && this.#book.spine.length > 1 ? entry : null;
  }

  #add(entry: string, source: string): void {
    const entries = this.#starts.get(entry) ?? [];
    const starts = chapterStarts(entries, source.length);
    const names = namesByPlace(entries);
    const places = starts.flatMap(({ fragment }) => fragment ?? []);
    const fragments = new Set(starts.length > 1 ? places : []);
    const chapter = readChapter(source, fragments);
    if (this.#isNoise(entry, chapter)) return;
    for (const piece of chapter.pieces) {
      const place = starts.length === 1 ? (starts[0]?.fragment ?? null) : piece.fragment;
      this.#addPiece(entry, piece, names.get(place) ?? null);
    }
    this.#before = entries.at(-1) ?? this.#before;
  }

  #addPiece(entry: string, piece: Piece, named: ContentsEntry | null): void {
    const fileName = entry.slice(entry.lastIndexOf("/") + 1);
    const { chapter, headings } = nameOf({ text: piece.text, entry: named, before: this.#before, fileName });
    this.#before = named ?? this.#before;
    if (this.#characters + piece.text.length > this.#maxChars) {
      this.#skippedForLength++;
      return;
    }
    this.#characters += piece.text.length;
    this.#parts.push({ text: piece.text, markup: "markdown", locator: { chapter }, lines: null, headings });
  }

  /** Covers, and pages that only list what the table of contents lists. */
  #isNoise(entry: string, { length, links, linkShare }: Chapter): boolean {
    if (this.#book.covers.has(entry)) return length <= MAX_COVER_LENGTH;
    return this.#book.contents.length > 0 && links >= MIN_LISTED_LINKS && linkShare > LIST_LINK_SHARE;
  }

  #miss({ number, href }: SpineItem, reason: string): void {
    this.#missing.push(`Chapter ${number} (${href}) could not be read: ${reason.replace(/\.$/, "")}.`);
  }

  #nothing(): ReadProblem {
    const [first] = this.#missing;
    if (this.#protected > 0 || (this.#protection.licensed && first !== undefined)) return drmProblem();
    if (this.#locked !== null) return this.#locked;
    if (first !== undefined)
      return new ReadProblem("corrupt", `None of its chapters could be read. ${first}`);
    const { spine, warnings } = this.#book;
    if (spine.length === 0)
      return new ReadProblem("corrupt", ["It holds no chapters.", ...warnings].join(" "));
    return new ReadProblem(
      "no_text",
      `No extractable text: its ${spine.length} page(s) are pictures or empty.`,
    );
  }
}
