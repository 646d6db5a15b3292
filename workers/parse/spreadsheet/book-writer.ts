import type { ReadFailure } from "../../contract.ts";
import { cleanText } from "../clean-text.ts";
import { type ParsedFile, type Part, type ReadInput, ReadProblem } from "../reader.ts";
import { oneLine } from "../table/row.ts";
import { titleFrom } from "../title.ts";
import { createSheetWriter, type SheetWriter } from "./sheet-writer.ts";

/** Cells with content, and characters of text, that are read of one workbook. */
export const MAX_CELLS = 1_000_000;
const MAX_CHARS = 32 * 1024 * 1024;
/** Problems that are told one by one. */
const MAX_WARNINGS = 20;

/** Gathers the sheets of a workbook, in their order, within bounds that all of them share. */
export interface BookWriter {
  sheet(name: string, isHidden: boolean): SheetWriter;
  /** With what failed, where a part of the sheets is lost by it: should nothing else be found, that is why. */
  warn(warning: string, failure?: ReadFailure): void;
  /** @throws ReadProblem no_text when there is none in it, not even a title; what was lost when that is why. */
  end(about: { title: string | null; metadata: Readonly<Record<string, unknown>> }): ParsedFile;
}

export interface BookBounds {
  readonly cells?: number;
  readonly chars?: number;
}

export function createBookWriter(
  { limits }: ReadInput,
  { cells = MAX_CELLS, chars = MAX_CHARS }: BookBounds = {},
): BookWriter {
  const parts: Part[] = [];
  const warnings: string[] = [];
  const sheets: string[] = [];
  const hiddenSheets: string[] = [];
  const budget = { cells, chars: Math.min(chars, Math.floor(limits.maxTextChars / 2)) };
  let lost: ReadProblem | null = null;
  const warn: BookWriter["warn"] = (warning, failure) => {
    if (failure !== undefined) lost ??= new ReadProblem(failure, warning);
    if (warnings.length < MAX_WARNINGS) warnings.push(warning);
    else if (warnings.length === MAX_WARNINGS) warnings.push("More was left out that is not listed here.");
  };
  return {
    warn,
    sheet(written, isHidden) {
      const name = oneLine(cleanText(written));
      sheets.push(name);
      if (isHidden) hiddenSheets.push(name);
      const ended = (found: readonly Part[]): void => {
        for (const part of found) parts.push(part);
      };
      return createSheetWriter({ name, isHidden, limits, budget, ended, warn });
    },
    end({ title: written, metadata }) {
      const title = titleFrom(written);
      if (parts.length === 0 && lost !== null) throw lost;
      if (parts.length === 0) parts.push(onlyTitle(title, sheets.length));
      return { title, parts, metadata: { ...metadata, sheets, hiddenSheets }, warnings };
    },
  };
}

/** A workbook of pictures or empty forms is still found by its title. */
function onlyTitle(title: string | null, sheets: number): Part {
  if (title !== null) return { text: title, markup: "plain", locator: null, lines: null };
  const which = sheets === 1 ? "Its one sheet is empty" : `Its ${sheets} sheets are empty`;
  throw new ReadProblem("no_text", `No extractable text: ${which} but for pictures and formats.`);
}
