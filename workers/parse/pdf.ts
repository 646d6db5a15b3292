import type { PDFDocumentProxy } from "pdfjs-dist";
import { loadPdf } from "./pdf/library.ts";
import { joinLines, pageLines, type TextRun } from "./pdf/page-text.ts";
import { dropRunningLines } from "./pdf/running-lines.ts";
import { checkTextLayer } from "./pdf/text-layer.ts";
import { type ParsedFile, type Reader, type ReadInput, ReadProblem } from "./reader.ts";
import { titleFrom } from "./title.ts";

/** More pages are counted and left out, with a warning. */
const MAX_PAGES = 10_000;
/** Titles that programs write when their user gave none. */
const poorTitle =
  /^(?:untitled|(?:no )?title|document\d*|microsoft (?:word|powerpoint|excel)\b.*|.*\.(?:docx?|pptx?|xlsx?|dvi|indd|tex|pdf|qxd))$/i;

/** A PDF's text layer, page by page. */
export const pdfReader: Reader = {
  id: "pdf",
  version: 1,
  format: "pdf",
  name: "PDF",
  extensions: ["pdf"],
  library: "pdfjs-dist 5.6",
  recognises: (probe) => probe.mediaType === "application/pdf",
  async read(input) {
    const task = await loadPdf(input.bytes);
    try {
      return await readDocument(await task.promise, input);
    } catch (error) {
      throw error instanceof ReadProblem ? error : openProblem(error);
    } finally {
      await task.destroy();
    }
  },
};

async function readDocument(document: PDFDocumentProxy, input: ReadInput): Promise<ParsedFile> {
  const { pages, warnings } = await readPages(document, input);
  const texts = dropRunningLines(pages).map(joinLines);
  checkTextLayer(texts);
  const parts = texts.flatMap((text, index) =>
    text === "" ? [] : [{ text, markup: "plain" as const, locator: { page: index + 1 }, lines: null }],
  );
  const info = await documentInfo(document);
  const title = titleFrom(info["Title"]);
  const author = titleFrom(info["Author"]);
  const withoutText = texts.length - parts.length;
  if (withoutText > 0) warnings.push(`${withoutText} of ${texts.length} page(s) have no text.`);
  return {
    title: title === null || poorTitle.test(title) ? null : title,
    parts,
    metadata: author === null ? { pages: document.numPages } : { pages: document.numPages, author },
    warnings,
  };
}

async function readPages(
  document: PDFDocumentProxy,
  input: ReadInput,
): Promise<{ pages: string[][]; warnings: string[] }> {
  const warnings: string[] = [];
  const pages: string[][] = [];
  let broken = 0;
  let length = 0;
  const count = Math.min(document.numPages, MAX_PAGES);
  for (let number = 1; number <= count; number++) {
    input.signal?.throwIfAborted();
    try {
      const page = await document.getPage(number);
      const content = await page.getTextContent();
      pages.push(pageLines(content.items.filter((item): item is typeof item & TextRun => "str" in item)));
      page.cleanup();
    } catch (error) {
      // The other pages are still worth having.
      if (broken === 0) warnings.push(`Page ${number} could not be read: ${messageOf(error)}.`);
      broken++;
      pages.push([]);
    }
    for (const line of pages.at(-1) ?? []) length += line.length;
    if (length > input.limits.maxTextChars)
      throw new ReadProblem("too_complex", "Its text is larger than the cap.");
  }
  if (broken === count) throw new ReadProblem("corrupt", "None of its pages could be read.");
  if (broken > 1) warnings.push(`${broken} pages could not be read.`);
  if (document.numPages > count)
    warnings.push(`Only the first ${count} of ${document.numPages} pages were read.`);
  return { pages, warnings };
}

async function documentInfo(document: PDFDocumentProxy): Promise<Record<string, unknown>> {
  try {
    const { info } = await document.getMetadata();
    return info as Record<string, unknown>;
  } catch {
    // A damaged info dictionary costs the title, not the document.
    return {};
  }
}

function openProblem(error: unknown): ReadProblem {
  if (!(error instanceof Error))
    return new ReadProblem("corrupt", `The PDF could not be opened: ${String(error)}.`);
  if (error.name === "PasswordException") {
    return new ReadProblem(
      "needs_password",
      "It opens only with a password. Save a copy without one to index it.",
    );
  }
  if (error.name === "AbortError") throw error;
  return new ReadProblem("corrupt", `The PDF could not be opened: ${messageOf(error)}.`);
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, "");
}
