import { type ParsedFile, type ReadInput, ReadProblem } from "../reader.ts";
import { isOle } from "../ole/directory.ts";
import { createBookWriter, MAX_CELLS } from "../spreadsheet/book-writer.ts";
import { type BiffFacts, tameBiff } from "./biff.ts";
import { guarded, type Library, loadLibrary, optionsFor } from "./library.ts";
import { unlockStream } from "./unlock-stream.ts";
import { writeWorkbook } from "./write-workbook.ts";

type WorkBook = ReturnType<Library["read"]>;

/** A workbook of Excel 97 to 2003 in its compound file, or the bare stream of an older one. */
export async function readXls(input: ReadInput, maxCells = MAX_CELLS): Promise<ParsedFile> {
  const library = await loadLibrary();
  const book = createBookWriter(input, { cells: maxCells });
  const read = (withExtras: boolean): { workbook: WorkBook; facts: BiffFacts } =>
    guarded(() =>
      (isOle(input.bytes) ? readContainer : readStream)(library, input.bytes, withExtras, maxCells),
    );
  let result;
  try {
    result = read(true);
  } catch (error) {
    if (!(error instanceof ReadProblem) || error.failure !== "corrupt") throw error;
    // A note without its text stops the library: the cells are worth more than the notes.
    result = read(false);
    book.warn("Its notes and links are damaged and were left out.");
  }
  const { workbook, facts } = result;
  return writeWorkbook(
    book,
    workbook,
    (index) => facts.sheets[index] ?? { lastRow: -1, texts: [] },
    facts.rowLimit,
  );
}

function readContainer(library: Library, bytes: Uint8Array, withExtras: boolean, maxCells: number) {
  const container = library.CFB.read(Buffer.from(bytes), { type: "buffer" });
  const entry = library.CFB.find(container, "/Workbook") ?? library.CFB.find(container, "/Book");
  if (entry === null)
    throw new ReadProblem("corrupt", "It is an Office file of before 2007 that holds no workbook.");
  // In place, as the library has tied its own reading functions to these bytes. They are of the copy made above.
  const { buffer, byteOffset, length } = entry.content;
  const facts = tamed(Buffer.from(buffer, byteOffset, length), withExtras, maxCells);
  return { workbook: library.parse_xlscfb(container, optionsFor(facts.rowLimit)), facts };
}

function readStream(library: Library, bytes: Uint8Array, withExtras: boolean, maxCells: number) {
  const stream = Buffer.from(bytes);
  const facts = tamed(stream, withExtras, maxCells);
  return { workbook: library.read(stream, optionsFor(facts.rowLimit)), facts };
}

function tamed(stream: Buffer, withExtras: boolean, maxCells: number): BiffFacts {
  unlockStream(stream);
  return tameBiff(stream, withExtras, maxCells);
}
