import { openArchive } from "../archive/zip.ts";
import { type EmbeddedFile, type ParsedFile, type ReadInput, ReadProblem } from "../reader.ts";
import { deckFile } from "../slides/deck.ts";
import type { Slide } from "../slides/slide.ts";
import { commentAuthors } from "./comments.ts";
import { coreProperties } from "./core-properties.ts";
import { type OfficePackage, openPackage } from "./package.ts";
import { slideList } from "./presentation.ts";
import { readSlide, type SlideSources } from "./read-slide.ts";

/** Files in a deck that are read with it. */
const MAX_CHILDREN = 50;
/** Office files; others in a deck are pictures of programs or code. */
const readable = /\.(?:docx|docm|xlsx|xlsm|pptx|pptm|pdf|rtf|txt|csv|html?)$/i;

/** @throws ReadProblem when there is nothing to read in it. */
export async function readDeck(input: ReadInput): Promise<ParsedFile> {
  const office = openPackage(await openArchive(input.bytes));
  const { entries, warnings: listWarnings } = await slideList(office);
  const sources: SlideSources = { office, authors: await commentAuthors(office), layouts: new Map() };
  const warnings = [...listWarnings];
  const slides: Slide[] = [];
  const embedded = new Set<string>();
  const seen = new Set<string>();
  for (const entry of entries) {
    input.signal?.throwIfAborted();
    if (entry.part !== null && seen.has(entry.part)) continue;
    seen.add(entry.part ?? "");
    if (entry.part === null) {
      warnings.push(`Slide ${entry.number} is missing in the file.`);
      continue;
    }
    try {
      const read = await readSlide(entry, entry.part, sources);
      slides.push(read.slide);
      warnings.push(...read.warnings);
      for (const part of read.embedded) embedded.add(part);
    } catch (error) {
      if (!(error instanceof ReadProblem) || error.failure === "needs_password") throw error;
      warnings.push(`Slide ${entry.number} could not be read: ${error.message}`);
    }
  }
  const { title, metadata } = await coreProperties(office);
  const children = childrenOf([...embedded], office, warnings);
  return deckFile({ slides, slideCount: entries.length, title, metadata, warnings, children }, input.limits);
}

function childrenOf(parts: readonly string[], office: OfficePackage, warnings: string[]): EmbeddedFile[] {
  const children: EmbeddedFile[] = [];
  for (const part of parts.filter((name) => readable.test(name)).slice(0, MAX_CHILDREN)) {
    const name = part.slice(part.lastIndexOf("/") + 1);
    try {
      const bytes = office.bytes(part);
      if (bytes !== null) children.push({ name, bytes });
    } catch (error) {
      if (!(error instanceof ReadProblem)) throw error;
      warnings.push(`${name} was left out: ${error.message}`);
    }
  }
  return children;
}
