import type { BookWriter } from "../spreadsheet/book-writer.ts";
import { type CellNote, cellText } from "../spreadsheet/cell-text.ts";
import type { SheetWriter } from "../spreadsheet/sheet-writer.ts";
import type { TableCell } from "../table/row.ts";
import { attribute } from "../xml/walk.ts";
import type { TextCollector } from "./text-collector.ts";

const MAX_COLUMNS = 16_384;
const MAX_ROWS = 1_048_576;

type Attributes = Readonly<Record<string, string>>;

/** Sheets, their rows and cells as they come: one of each at a time. */
export class SheetsInTurn {
  readonly #book: BookWriter;
  readonly #isHiddenStyle: (style: string | undefined) => boolean;
  #sheet: SheetWriter | null = null;
  /** Tables within cells are text of these. */
  #depth = 0;
  #row = 1;
  #rowRepeat = 1;
  #column = 0;
  #cellRepeat = 1;
  #attributes: Attributes = {};
  #cells: TableCell[] = [];
  #notes: CellNote[] = [];

  constructor(book: BookWriter, isHiddenStyle: (style: string | undefined) => boolean) {
    this.#book = book;
    this.#isHiddenStyle = isHiddenStyle;
  }

  open(name: string, attributes: Attributes): void {
    if (name === "table" && this.#depth++ === 0) {
      const isHidden = this.#isHiddenStyle(attribute(attributes, "style-name"));
      this.#sheet = this.#book.sheet(attribute(attributes, "name") ?? "", isHidden);
      this.#row = 1;
    } else if (this.#depth !== 1) return;
    else if (name === "table-row") {
      this.#rowRepeat = repeat(attributes, "number-rows-repeated");
      this.#column = 0;
      this.#cells = [];
    } else if (name === "table-cell" || name === "covered-table-cell") {
      this.#cellRepeat = repeat(attributes, "number-columns-repeated");
      this.#attributes = attributes;
    }
  }

  close(name: string, texts: TextCollector): void {
    if (name === "table" && --this.#depth === 0) this.end();
    else if (this.#depth !== 1) return;
    else if (name === "table-row") this.#endRow();
    else if (name === "table-cell") this.#endCell(texts);
    else if (name === "covered-table-cell") {
      // What lies under a merged cell is not seen.
      texts.takeCell();
      this.#notes = [];
      this.#column += this.#cellRepeat;
    }
  }

  note(note: CellNote): void {
    this.#notes.push(note);
  }

  line(text: string): void {
    this.#sheet?.line(text);
  }

  /** The text may end before the sheet does. */
  end(): void {
    this.#sheet?.end();
    this.#sheet = null;
  }

  #endCell(texts: TextCollector): void {
    const { text, link } = texts.takeCell();
    const shown = cellText(text === "" ? valueOf(this.#attributes) : text, { notes: this.#notes, link });
    const end = Math.min(this.#column + this.#cellRepeat, MAX_COLUMNS);
    if (shown !== "")
      for (; this.#column < end; this.#column++) this.#cells.push({ column: this.#column, text: shown });
    this.#column = end;
    this.#notes = [];
  }

  #endRow(): void {
    const sheet = this.#sheet;
    if (this.#cells.length > 0 && sheet !== null) {
      const count = Math.min(this.#rowRepeat, MAX_ROWS);
      let done = 0;
      for (; done < count && !sheet.isFull; done++) sheet.row(this.#row + done, this.#cells);
      sheet.skip(count - done);
    }
    this.#row += this.#rowRepeat;
    this.#cells = [];
  }
}

function repeat(attributes: Attributes, name: string): number {
  const count = Number(attribute(attributes, name) ?? 1);
  return Number.isInteger(count) && count > 0 ? count : 1;
}

/** A value that its program wrote without the text that is seen. */
function valueOf(attributes: Attributes): string {
  const names = ["string-value", "date-value", "time-value", "boolean-value", "value"];
  return names.map((name) => attribute(attributes, name)).find((value) => value !== undefined) ?? "";
}
