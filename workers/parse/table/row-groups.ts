import type { Locator } from "../../contract.ts";
import { cleanText } from "../clean-text.ts";
import type { Part } from "../reader.ts";
import { createPiece, type Piece, tokensOf, writePiece, type WrittenLine } from "./piece.ts";
import type { TableRow } from "./row.ts";

/** The title of the file stands above the names of its sheets. */
const HEADING_LEVEL = 2;

/** Rows from 1, columns from 0, both ends included. */
export interface CellRange {
  readonly firstRow: number;
  readonly lastRow: number;
  readonly firstColumn: number;
  readonly lastColumn: number;
}

export interface RowGroupsOptions {
  /** Tokens of a group. */
  readonly budget: number;
  /** Characters that all rows together may have. */
  readonly maxChars: number;
  /** Stands above all rows; as it is written, and as it is named. */
  readonly heading: { readonly written: string; readonly name: string } | null;
  readonly locatorOf: (range: CellRange) => Locator;
}

/** Gathers rows into parts that are no larger than a group may be; only a single row may pass it. */
export class RowGroups {
  readonly #options: RowGroupsOptions;
  readonly #parts: Part[] = [];
  #chars = 0;
  /** Of the group that is open. */
  #pieces: Piece[] = [];
  /** Of its pieces but the last. */
  #tokens = 0;
  #isBroken = true;
  /** The names that were written last: repeated, they are not of the range. */
  #shown: TableRow | null = null;
  #newlyShown: TableRow[] = [];

  constructor(options: RowGroupsOptions) {
    this.#options = options;
  }

  get parts(): readonly Part[] {
    return this.#parts;
  }

  get chars(): number {
    return this.#chars;
  }

  /** Counts the row when there is. */
  hasRoom(row: TableRow): boolean {
    const length = row.cells.reduce((sum, { text }) => sum + text.length + 3, 0);
    if (this.#chars + length > this.#options.maxChars) return false;
    this.#chars += length;
    return true;
  }

  /** What comes next is no part of the table before it. */
  breakOff(): void {
    this.#isBroken = true;
  }

  add(kind: Piece["kind"], header: TableRow | null, row: TableRow): void {
    const open = this.#pieces.at(-1);
    const joins = open?.kind === kind && open.header === header && !(this.#isBroken && header === null);
    this.#isBroken = false;
    const tokens = tokensOf(row);
    if (joins && open.fits(row, tokens, this.#options.budget - this.#tokens)) {
      open.add(row, tokens);
      return;
    }
    const used = this.#tokens + (open?.tokens() ?? 0);
    if (joins || !createPiece(kind, header).fits(row, tokens, this.#options.budget - used)) this.close();
    this.#start(kind, header).add(row, tokens);
  }

  /** Texts that stand in no cell, a part of their own. */
  addLines(texts: readonly string[], locator: Locator): void {
    this.close();
    const lines = texts.map((text) => ({ text, origin: 1 }));
    if (lines.length > 0) this.#push(lines, locator, false);
  }

  /** Ends the group that is open. */
  close(): void {
    if (this.#pieces.length === 0) return;
    const lines = this.#pieces.flatMap((piece, at) => {
      const written = writePiece(piece);
      return at === 0 ? written : [{ text: "", origin: written[0]?.origin ?? 1 }, ...written];
    });
    const rows = this.#pieces.flatMap((piece) => piece.rows);
    const range = rangeOf([...this.#newlyShown, ...rows]);
    this.#push(lines, this.#options.locatorOf(range), rows[0]?.line !== null);
    this.#pieces = [];
    this.#newlyShown = [];
    this.#tokens = 0;
  }

  #start(kind: Piece["kind"], header: TableRow | null): Piece {
    this.#tokens += this.#pieces.at(-1)?.tokens() ?? 0;
    const piece = createPiece(kind, header);
    if (header !== null && header !== this.#shown) {
      this.#newlyShown.push(header);
      this.#shown = header;
    }
    this.#pieces.push(piece);
    return piece;
  }

  #push(lines: readonly WrittenLine[], locator: Locator, hasLines: boolean): void {
    const { heading } = this.#options;
    const isFirst = heading !== null && this.#parts.length === 0;
    const origin = lines[0]?.origin ?? 1;
    const all = isFirst ? [{ text: `## ${heading.written}`, origin }, { text: "", origin }, ...lines] : lines;
    this.#parts.push({
      text: cleanText(all.map((line) => line.text).join("\n")),
      markup: "table",
      locator,
      lines: hasLines ? { kind: "map", of: all.map((line) => line.origin) } : null,
      ...(isFirst ? { outline: [{ line: 0, level: HEADING_LEVEL, text: heading.name }] } : {}),
      ...(heading !== null && !isFirst ? { headings: [heading.name] } : {}),
    });
  }
}

function rangeOf(rows: readonly TableRow[]): CellRange {
  const range = {
    firstRow: Number.POSITIVE_INFINITY,
    lastRow: 1,
    firstColumn: Number.POSITIVE_INFINITY,
    lastColumn: 0,
  };
  for (const { cells, number } of rows) {
    range.firstRow = Math.min(range.firstRow, number);
    range.lastRow = Math.max(range.lastRow, number);
    range.firstColumn = Math.min(range.firstColumn, cells[0]?.column ?? 0);
    range.lastColumn = Math.max(range.lastColumn, cells.at(-1)?.column ?? 0);
  }
  return range;
}
