import type { Relationship } from "../pptx/package.ts";
import { ReadProblem } from "../reader.ts";
import type { SheetWriter } from "../spreadsheet/sheet-writer.ts";
import { walkXml } from "../xml/walk.ts";
import { createCellReader, type SheetContext } from "./cell-reader.ts";
import { readLinks } from "./links.ts";
import type { Notes } from "./notes.ts";
import { printedText } from "../spreadsheet/printed-text.ts";
import { createRowReader } from "./row-reader.ts";

export interface SheetFacts {
  /** Why it ends early; null when it is whole. */
  readonly problem: string | null;
  /** Cells with a formula whose result is not in the file. */
  readonly uncomputed: number;
  /** What is printed above and below its pages. */
  readonly printed: readonly string[];
}

const printedElement = /^(?:odd|even|first)(?:Header|Footer)$/;

/** Hands over a worksheet row by row. What its dimension says is not believed. */
export async function writeSheet(
  xml: string,
  sheet: SheetWriter,
  context: SheetContext & { readonly notes: Notes; readonly relationships: readonly Relationship[] },
): Promise<SheetFacts> {
  const rows = createRowReader(sheet, context.notes, await readLinks(xml, context.relationships));
  const cell = createCellReader(context);
  const printed: string[] = [];
  let column = 0;
  let inPrinted = false;
  let uncomputed = 0;
  let problem: string | null = null;
  try {
    await walkXml(xml, {
      open(name, attributes) {
        if (name === "c") {
          column = rows.column(attributes["r"]);
          cell.begin(attributes["t"] ?? "n", Number(attributes["s"] ?? 0));
        } else if (cell.isOpen) cell.open(name);
        else if (name === "row") rows.open(Number(attributes["r"]));
        else if (printedElement.test(name)) {
          inPrinted = true;
          printed.push("");
        }
      },
      text(piece) {
        if (cell.isOpen) cell.text(piece);
        else if (inPrinted) printed.push((printed.pop() ?? "") + piece);
      },
      close(name) {
        if (name === "c") {
          cell.end();
          if (cell.isUncomputed) uncomputed++;
          // What does not fit any more is counted, not read.
          if (!cell.isEmpty) rows.add(column, sheet.isFull ? "…" : cell.shown());
        } else if (cell.isOpen) cell.close(name);
        else if (name === "row") rows.close();
        else inPrinted = false;
      },
    });
  } catch (error) {
    if (!(error instanceof ReadProblem)) throw error;
    problem = error.message;
    rows.close();
  }
  rows.end();
  return { problem, uncomputed, printed: printed.map(printedText) };
}
