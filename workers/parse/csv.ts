import { wellFormed } from "./clean-text.ts";
import { guessDelimiter } from "./csv-delimiter.ts";
import type { Reader, ReadInput } from "./reader.ts";
import { oneLine, type TableCell, type TableRow } from "./table/row.ts";
import { createTableWriter, type TableWriter } from "./table/table-writer.ts";
import { textOf } from "./text-of.ts";

const MAX_COLUMNS_NAMED = 100;
const MAX_COLUMN_NAME_LENGTH = 200;
const extensions: readonly string[] = ["csv", "tsv", "tab", "psv"];

/**
 * Rows in groups of about a chunk, as Markdown tables under the names of their columns where these are short.
 * A quote that is never closed would swallow the rest of the file: then its lines are kept as they are.
 */
export const csvReader: Reader = {
  id: "csv",
  version: 3,
  format: "csv",
  name: "Comma- or tab-separated table",
  extensions,
  library: "papaparse 5.7",
  recognises: (probe) => probe.text !== null && extensions.includes(probe.extension),
  async read(input) {
    const { text, encoding, warnings } = textOf(input);
    const named = /^sep=(.)\n/i.exec(text);
    const bodyLine = input.firstLine + (named === null ? 0 : 1);
    const body = named === null ? text : text.slice(named[0].length);
    const { default: papa } = await import("papaparse");
    const delimiter = named?.[1] ?? guessDelimiter(papa, body, input.extension);
    const writer = writerOf(input);
    const rows = writeRows(papa, body, delimiter, bodyLine, writer);
    if (rows === null) {
      return {
        title: null,
        parts: [{ text, markup: "plain", locator: null, lines: { kind: "same", first: input.firstLine } }],
        metadata: { encoding },
        warnings: [...warnings, "A quoted cell is never closed, so its lines were kept as they are."],
      };
    }
    const { parts, names } = writer.end();
    const columns = names === null ? null : columnNames(names);
    return { title: null, parts, metadata: { encoding, delimiter, rows, columns }, warnings };
  },
};

function writerOf({ limits }: ReadInput): TableWriter {
  return createTableWriter({
    limits,
    maxChars: Number.POSITIVE_INFINITY,
    heading: null,
    locatorOf: ({ firstRow, lastRow }) => ({ range: `${firstRow}:${lastRow}` }),
  });
}

/** How many rows have any content; null when a quote is left open. */
function writeRows(
  papa: typeof import("papaparse"),
  text: string,
  delimiter: string,
  firstLine: number,
  writer: TableWriter,
): number | null {
  let open = false;
  let line = firstLine;
  let counted = 0;
  let number = 0;
  let filled = 0;
  papa.parse<string[]>(text, {
    delimiter,
    newline: "\n",
    step(result) {
      open ||= result.errors.some((error) => error.code === "MissingQuotes");
      const cells = cellsOf(result.data);
      number++;
      if (cells.length > 0 && !open) {
        writer.add({ cells, number, line });
        filled++;
      }
      for (
        let at = text.indexOf("\n", counted);
        at !== -1 && at < result.meta.cursor;
        at = text.indexOf("\n", at + 1)
      ) {
        line++;
        counted = at + 1;
      }
    },
  });
  return open ? null : filled;
}

function cellsOf(texts: readonly string[]): TableCell[] {
  const cells: TableCell[] = [];
  for (const [column, raw] of texts.entries()) {
    const text = oneLine(raw);
    if (text !== "") cells.push({ column, text });
  }
  return cells;
}

function columnNames({ cells }: TableRow): string[] {
  const names: string[] = [];
  for (const { column, text } of cells)
    if (column < MAX_COLUMNS_NAMED) names[column] = wellFormed(text.slice(0, MAX_COLUMN_NAME_LENGTH));
  return Array.from(names, (name: string | undefined) => name ?? "");
}
