import { type Archive, openArchive } from "../archive/zip.ts";
import { type ParsedFile, type ReadInput, ReadProblem } from "../reader.ts";
import { type BookWriter, createBookWriter } from "../spreadsheet/book-writer.ts";
import { cellPlace } from "../spreadsheet/cell-name.ts";
import { createRowBudget, type RowBudget } from "../spreadsheet/row-budget.ts";
import { tameBinarySheet } from "./binary-sheet.ts";
import { guarded, loadLibrary, optionsFor } from "./library.ts";
import { type SheetFacts, writeWorkbook } from "./write-workbook.ts";

const MAX_ROWS = 1_048_576;
/** What the cells come from. Pictures, calculation order and caches are of no use. */
const neededParts =
  /^(?:\[Content_Types\]\.xml|_rels\/.*|docProps\/[^/]+\.xml|xl\/(?:[^/]+\.(?:bin|xml)|_rels\/.*|worksheets\/.*|chartsheets\/.*|threadedComments\/.*|persons\/.*))$/i;
const needless = /^xl\/(?:calcChain|vbaProject)\.(?:bin|xml)$|printerSettings/i;
const sheetPart = /^xl\/worksheets\/[^/]+\.bin$/i;

/** An .xlsb: packed like an .xlsx, with records like those of an .xls. */
export async function readBinaryWorkbook(input: ReadInput): Promise<ParsedFile> {
  const book = createBookWriter(input);
  const library = await loadLibrary();
  const budget = createRowBudget(MAX_ROWS);
  const archive = await openArchive(input.bytes);
  const packed = await repack(archive, book, budget);
  const rowLimit = budget.rowLimit();
  const workbook = guarded(() => library.read(packed, optionsFor(rowLimit)));
  const lastRowOf = (claimed: unknown): number => {
    const end = typeof claimed === "string" ? cellPlace(claimed.slice(claimed.indexOf(":") + 1)) : null;
    return end === null ? -1 : Math.min(end.row - 1, budget.lastRow);
  };
  const factsOf = (_: number, name: string): SheetFacts => ({
    // Where the sheet would end if all of it were read; what is claimed may be too much.
    lastRow: lastRowOf(workbook.Sheets[name]?.["!fullref"]),
    texts: [],
  });
  return writeWorkbook(book, workbook, factsOf, rowLimit);
}

/** The parts within our bounds, stored: the library itself would unpack whatever the archive claims. */
async function repack(archive: Archive, book: BookWriter, budget: RowBudget): Promise<Uint8Array> {
  const { zipSync } = await import("fflate");
  const parts: Record<string, Uint8Array> = {};
  for (const name of archive.names) {
    if (!neededParts.test(name) || needless.test(name)) continue;
    try {
      const bytes = archive.bytes(name);
      if (bytes === null) continue;
      parts[name] = sheetPart.test(name) ? tameBinarySheet(bytes, budget) : bytes;
    } catch (error) {
      if (!(error instanceof ReadProblem)) throw error;
      book.warn(`${name} in it could not be read: ${error.message}`, error.failure);
    }
  }
  return zipSync(parts, { level: 0 });
}
