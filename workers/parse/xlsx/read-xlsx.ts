import { openArchive } from "../archive/zip.ts";
import { coreProperties } from "../pptx/core-properties.ts";
import { openPackage, type OfficePackage } from "../pptx/package.ts";
import { type ParsedFile, type ReadInput, ReadProblem } from "../reader.ts";
import { type BookBounds, type BookWriter, createBookWriter } from "../spreadsheet/book-writer.ts";
import { createPartReader, type PartReader } from "../spreadsheet/large-part.ts";
import { createNumberFormatter } from "../spreadsheet/number-format.ts";
import type { SheetWriter } from "../spreadsheet/sheet-writer.ts";
import { writeBinarySheet } from "../xlsb/binary-sheet.ts";
import { drawingTexts } from "./drawings.ts";
import { readNotes } from "./notes.ts";
import { readSharedStrings } from "./shared-strings.ts";
import { readStyles } from "./styles.ts";
import { openWorkbook, type SheetEntry, type Workbook } from "./workbook.ts";
import type { SheetContext } from "./cell-reader.ts";
import { type SheetFacts, writeSheet } from "./worksheet.ts";

/** The sheets of an .xlsx package in their order. A sheet that is damaged gives what stands before the damage. */
export async function readXlsx(input: ReadInput, bounds: BookBounds = {}): Promise<ParsedFile> {
  const archive = await openArchive(input.bytes);
  const office = openPackage(archive);
  const workbook = await openWorkbook(office);
  const book = createBookWriter(input, bounds);
  const { title, metadata } = await orWarn(book, "Its properties", () => coreProperties(office), {
    title: null,
    metadata: {},
  });
  const parts = createPartReader(archive, input.bytes);
  const shared = await readSharedStrings(workbook.sharedStrings, parts);
  if (shared.problem !== null)
    book.warn(`Texts that several cells share could not all be read: ${shared.problem}`);
  const context: SheetContext = {
    sharedStrings: shared.strings,
    formats: await orWarn(book, "Its number formats", () => readStyles(workbook.styles, parts), []),
    formatNumber: await createNumberFormatter(workbook.date1904),
  };
  for (const entry of workbook.sheets) {
    input.signal?.throwIfAborted();
    await readSheet({ office, book, context, workbook, parts }, entry);
  }
  return book.end({ title, metadata });
}

interface Reading {
  readonly office: OfficePackage;
  readonly book: BookWriter;
  readonly context: SheetContext;
  readonly workbook: Workbook;
  readonly parts: PartReader;
}

async function readSheet(
  { office, book, context, workbook, parts }: Reading,
  { name, part, isHidden }: SheetEntry,
): Promise<void> {
  const sheet = book.sheet(name, isHidden);
  try {
    if (part === null) throw new ReadProblem("corrupt", "It is missing in the file.");
    const relationships = await orWarn(
      book,
      `Notes and links of sheet "${name}"`,
      () => office.relationships(part),
      [],
    );
    const notes = await orWarn(
      book,
      `Notes of sheet "${name}"`,
      () => readNotes(relationships, workbook.people, parts),
      new Map(),
    );
    const { facts, cut } = await writePart(part, parts, sheet, { ...context, notes, relationships });
    if (facts.problem !== null) {
      const why = cut ?? facts.problem;
      book.warn(`Sheet "${name}" could not be read to its end: ${why}`, "corrupt");
    }
    if (facts.uncomputed > 0) book.warn(uncomputedWarning(name, facts.uncomputed));
    const drawn = await orWarn(
      book,
      `Drawings of sheet "${name}"`,
      () => drawingTexts(office, relationships),
      [],
    );
    for (const line of [...facts.printed, ...drawn]) sheet.line(line);
  } catch (error) {
    if (!(error instanceof ReadProblem)) throw error;
    book.warn(`Sheet "${name}" could not be read: ${error.message}`, error.failure);
  }
  sheet.end();
}

async function writePart(
  part: string,
  parts: PartReader,
  sheet: SheetWriter,
  context: Parameters<typeof writeSheet>[2],
): Promise<{ facts: SheetFacts; cut: string | null }> {
  const isBinary = part.endsWith(".bin");
  const read = isBinary ? await parts.bytes(part) : await parts.text(part);
  if (read === null) throw new ReadProblem("corrupt", "It is missing in the file.");
  const facts =
    "bytes" in read
      ? writeBinarySheet(read.bytes, sheet, context)
      : await writeSheet(read.text, sheet, context);
  return { facts, cut: read.cut };
}

function uncomputedWarning(name: string, count: number): string {
  const cells = count === 1 ? "one cell has a formula" : `${count} cells have a formula`;
  return `Sheet "${name}": ${cells} without a stored result: open the file in a spreadsheet program and save it.`;
}

/** What is beside the sheets is left out with a warning when it is damaged. */
async function orWarn<Value>(
  book: BookWriter,
  what: string,
  read: () => Promise<Value>,
  otherwise: Value,
): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ReadProblem)) throw error;
    book.warn(`${what} could not be read: ${error.message}`);
    return otherwise;
  }
}
