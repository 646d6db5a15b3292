import { passwordNeeded } from "./password.ts";
import type { PDFDocumentProxy } from "pdfjs-dist";
import { readAttachments, withinBounds } from "./pdf/attachments.ts";
import { type Bookmark, readBookmarks } from "./pdf/bookmarks.ts";
import { refuseBombs } from "./pdf/bombs.ts";
import { findHeadings } from "./pdf/headings.ts";
import { loadPdf } from "./pdf/library.ts";
import { readFacts } from "./pdf/metadata.ts";
import { compoundsOf, pageText } from "./pdf/page-text.ts";
import { messageOf, type Pages, readPages } from "./pdf/read-pages.ts";
import { dropRunningLines } from "./pdf/running-lines.ts";
import { sectionsAbove } from "./pdf/sections.ts";
import { withoutStrays } from "./pdf/strays.ts";
import { checkTextLayer } from "./pdf/text-layer.ts";
import {
  type EmbeddedFile,
  type ParsedFile,
  type Part,
  type Reader,
  type ReadInput,
  ReadProblem,
} from "./reader.ts";

/** Time for the pages where nothing is said of it; what is not read by then is left out. */
const BUDGET_MS = 45_000;

/** A PDF's text layer, page by page. */
export const pdfReader: Reader = {
  id: "pdf",
  version: 2,
  format: "pdf",
  name: "PDF",
  extensions: ["pdf"],
  library: "pdfjs-dist 5.6",
  recognises: (probe) => probe.mediaType === "application/pdf",
  async read(input) {
    const { attachments } = await refuseBombs(input.bytes, input.signal);
    return withoutStrays(() => readBytes(input, attachments));
  },
};

async function readBytes(input: ReadInput, withFiles: boolean): Promise<ParsedFile> {
  const task = await loadPdf(input.bytes);
  try {
    return await readDocument(await task.promise, input, withFiles);
  } catch (error) {
    throw error instanceof ReadProblem ? error : openProblem(error);
  } finally {
    await task.destroy();
  }
}

async function readDocument(
  document: PDFDocumentProxy,
  input: ReadInput,
  withFiles: boolean,
): Promise<ParsedFile> {
  const pages = await readPages(document, {
    maxTextChars: input.limits.maxTextChars,
    budgetMs: input.limits.until === undefined ? BUDGET_MS : input.limits.until - performance.now(),
    signal: input.signal,
  });
  const warnings = [...pages.warnings];
  const facts = await readFacts(document);
  if (facts.standIn)
    warnings.push(
      "It is a form of a kind that only Adobe's programs show (XFA): what they show was not read.",
    );
  const bookmarks = await ifSound("Its bookmarks", warnings, [], () => readBookmarks(document, pages.pageOf));
  const parts = partsOf(pages, bookmarks, warnings);
  if (!withFiles) warnings.push("Its attached files were left out: one unpacks to more than fits.");
  const children = withFiles ? await attachedFiles(document, pages, warnings) : [];
  return { title: facts.title, parts, metadata: facts.metadata, warnings, children };
}

function partsOf(pages: Pages, bookmarks: readonly Bookmark[], warnings: string[]): Part[] {
  const blocks = dropRunningLines(pages.blocks);
  const marks = findHeadings(blocks, bookmarks);
  const above = sectionsAbove(marks, bookmarks);
  const compounds = compoundsOf(blocks);
  const texts = blocks.map((page, index) => pageText(page, marks[index] ?? [], compounds));
  const sound = checkTextLayer(
    texts.map(({ text }) => text),
    warnings,
  );
  return sound.flatMap((own, index): Part[] => {
    const text = [own, ...(pages.notes[index] ?? [])].join("\n\n").trim();
    if (text === "") return [];
    const { headings = [], chapter = null } = above[index] ?? {};
    const page = index + 1;
    const locator = chapter === null ? { page } : { page, chapter };
    const markup = texts[index]?.markdown === true ? "markdown" : "plain";
    return [{ text, markup, locator, lines: null, ...(headings.length > 0 ? { headings } : {}) }];
  });
}

async function attachedFiles(
  document: PDFDocumentProxy,
  pages: Pages,
  warnings: string[],
): Promise<EmbeddedFile[]> {
  const files = await ifSound("Its attached files", warnings, [], () => readAttachments(document));
  return withinBounds([...files, ...pages.files], warnings);
}

/** What is beside the text costs no document when it is damaged. */
async function ifSound<T>(
  what: string,
  warnings: string[],
  otherwise: T,
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    warnings.push(`${what} could not be read: ${messageOf(error)}.`);
    return otherwise;
  }
}

function openProblem(error: unknown): ReadProblem {
  if (!(error instanceof Error))
    return new ReadProblem("corrupt", `The PDF could not be opened: ${String(error)}.`);
  if (error.name === "PasswordException") {
    return passwordNeeded();
  }
  if (error.name === "AbortError") throw error;
  return new ReadProblem("corrupt", `The PDF could not be opened: ${messageOf(error)}.`);
}
