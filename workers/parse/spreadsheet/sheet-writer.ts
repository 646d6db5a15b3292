import { cleanText } from "../clean-text.ts";
import type { Part, ReadLimits } from "../reader.ts";
import { oneLine, type TableCell } from "../table/row.ts";
import { createTableWriter } from "../table/table-writer.ts";
import { rangeName } from "./cell-name.ts";

export interface SheetWriter {
  /** Whether no more rows are taken; those that come all the same are counted. */
  readonly isFull: boolean;
  /** In their order; `number` is 1-based. Cells are by column, none is empty. */
  row(number: number, cells: readonly TableCell[]): void;
  /** Text that stands in no cell: text boxes, charts, alternative texts, what is printed above and below the pages. */
  line(text: string): void;
  /** Rows that are left out without having been handed over. */
  skip(rows: number): void;
  end(): void;
}

/** What is left for the sheets of a workbook together. */
export interface SheetBudget {
  cells: number;
  chars: number;
}

export interface SheetWriterOptions {
  readonly name: string;
  readonly isHidden: boolean;
  readonly limits: ReadLimits;
  readonly budget: SheetBudget;
  readonly ended: (parts: readonly Part[]) => void;
  readonly warn: (warning: string) => void;
}

export function createSheetWriter(options: SheetWriterOptions): SheetWriter {
  const { name, isHidden, limits, budget } = options;
  const table = createTableWriter({
    limits,
    maxChars: budget.chars,
    heading: { written: isHidden ? `${name} (hidden sheet)` : name, name },
    locatorOf: (range) => ({ sheet: name, range: rangeName(range) }),
  });
  const lines = new Set<string>();
  let isFull = false;
  let rows = 0;
  let leftOut = 0;
  return {
    get isFull() {
      return isFull;
    },
    row(number, cells) {
      if (cells.length === 0) return;
      isFull ||= cells.length > budget.cells || !table.add({ cells, number, line: null });
      if (isFull) leftOut++;
      else {
        rows++;
        budget.cells -= cells.length;
      }
    },
    line(text) {
      const line = oneLine(cleanText(text));
      if (line !== "") lines.add(line);
    },
    skip(count) {
      leftOut += count;
    },
    end() {
      table.addLines([...lines], { sheet: name });
      const { parts, chars } = table.end();
      budget.chars = Math.max(0, budget.chars - chars);
      options.ended(parts);
      if (leftOut > 0) options.warn(leftOutWarning(name, rows, leftOut));
    },
  };
}

function leftOutWarning(name: string, rows: number, leftOut: number): string {
  if (rows === 0)
    return `Sheet "${name}" was left out with ${leftOut} of its rows: the workbook is too large.`;
  return `Sheet "${name}" is too large: its first ${rows} rows with content were read, ${leftOut} after them were left out.`;
}
