import { estimateTokens } from "../chunk/tokens.ts";
import { wellFormed } from "./clean-text.ts";
import { guessDelimiter } from "./csv-delimiter.ts";
import type { Part, Reader } from "./reader.ts";
import { textOf } from "./text-of.ts";

/** Share of a chunk that one group of rows fills at most, and tokens it never passes: short groups rank better. */
const GROUP_SHARE = 0.8;
const MAX_GROUP_TOKENS = 400;
/** Share of a group that the names of the columns may take. */
const MAX_HEADER_SHARE = 0.5;
const MAX_COLUMNS_NAMED = 100;
const MAX_COLUMN_NAME_LENGTH = 200;
const extensions: readonly string[] = ["csv", "tsv", "tab", "psv"];

interface Row {
  readonly cells: readonly string[];
  /** 1-based, of the file. */
  readonly line: number;
}

/**
 * Rows in groups of about a chunk, each under the names of its columns where these are short. One line a row, cells parted
 * by " | ".
 * A quote that is never closed would swallow the rest of the file: then its lines are kept as they are.
 */
export const csvReader: Reader = {
  id: "csv",
  version: 2,
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
    const rows = parseRows(papa, body, delimiter, bodyLine);
    if (rows === null) {
      return {
        title: null,
        parts: [{ text, markup: "plain", locator: null, lines: { kind: "same", first: input.firstLine } }],
        metadata: { encoding },
        warnings: [...warnings, "A quoted cell is never closed, so its lines were kept as they are."],
      };
    }
    const header = headerOf(rows);
    const budget = Math.min(MAX_GROUP_TOKENS, Math.floor(input.limits.chunkTokens * GROUP_SHARE));
    return {
      title: null,
      parts: groupRows(rows, header, budget),
      metadata: {
        encoding,
        delimiter,
        rows: rows.length,
        columns: header === null ? null : columnNames(header),
      },
      warnings,
    };
  },
};

/** Null when a quote is left open. Rows without any content are left out. */
function parseRows(
  papa: typeof import("papaparse"),
  text: string,
  delimiter: string,
  firstLine: number,
): Row[] | null {
  const rows: Row[] = [];
  let open = false;
  let line = firstLine;
  let counted = 0;
  papa.parse<string[]>(text, {
    delimiter,
    newline: "\n",
    step(result) {
      open ||= result.errors.some((error) => error.code === "MissingQuotes");
      const cells = result.data.map((cell) => cell.replaceAll(/\s+/g, " ").trim());
      if (cells.some((cell) => cell !== "")) rows.push({ cells, line });
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
  return open ? null : rows;
}

/** The first row, when it reads like names: no cell is a number and most are filled. */
function headerOf(rows: readonly Row[]): Row | null {
  const first = rows[0];
  if (first === undefined || rows.length < 2) return null;
  const filled = first.cells.filter((cell) => cell !== "");
  const isName = (cell: string): boolean => !/^[-+]?[\d.,\s%€$£]+$/.test(cell);
  return filled.length * 2 >= first.cells.length && filled.length > 1 && filled.every(isName) ? first : null;
}

function columnNames(header: Row): string[] {
  return header.cells
    .slice(0, MAX_COLUMNS_NAMED)
    .map((cell) => wellFormed(cell.slice(0, MAX_COLUMN_NAME_LENGTH)));
}

function groupRows(rows: readonly Row[], header: Row | null, budget: number): Part[] {
  const parts: Part[] = [];
  const named = header === null ? "" : lineOf(header);
  // Names that would crowd the rows out are a row like the others: repeated, they would be most of the text.
  const repeats = header !== null && estimateTokens(named) <= budget * MAX_HEADER_SHARE;
  const headerLine = repeats ? named : null;
  const headerTokens = repeats ? estimateTokens(named) : 0;
  let lines: string[] = [];
  let origins: number[] = [];
  let tokens = 0;
  let firstRow = 1;
  const close = (nextRow: number): void => {
    if (lines.length === 0) return;
    // The repeated header is no line of its own: a hit points at the rows.
    const text = headerLine === null ? lines : [headerLine, ...lines];
    const of = headerLine === null ? origins : [origins[0] ?? 1, ...origins];
    const locator = { range: `${firstRow}:${nextRow - 1}` };
    parts.push({ text: text.join("\n"), markup: "table", locator, lines: { kind: "map", of } });
    lines = [];
    origins = [];
    tokens = 0;
    firstRow = nextRow;
  };
  for (const [index, row] of rows.entries()) {
    if (repeats && row === header) continue;
    const line = lineOf(row);
    const cost = estimateTokens(line);
    if (tokens + cost + headerTokens > budget) close(index + 1);
    lines.push(line);
    origins.push(row.line);
    tokens += cost;
  }
  close(rows.length + 1);
  return parts;
}

function lineOf(row: Row): string {
  const last = row.cells.findLastIndex((cell) => cell !== "");
  return row.cells.slice(0, last + 1).join(" | ");
}
