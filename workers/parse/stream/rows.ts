import { PART_JOINT } from "../../chunk/chunk.ts";
import { csvReader } from "../csv.ts";
import { guessDelimiter } from "../csv-delimiter.ts";
import type { Part } from "../reader.ts";
import { codeUnits, type CodeUnits, countLines, decodePiece, lineCut } from "./code-units.ts";
import { type RowEnds, rowEnds } from "./row-ends.ts";
import type { StreamInput, StreamPiece, StreamReader } from "./stream-reader.ts";

interface RowState {
  readonly delimiter: string;
  /** The row of the columns' names as it stands in the file, where groups of rows repeat it. */
  readonly header: string | null;
  readonly columns: unknown;
  /** Rows before the window. */
  readonly rows: number;
}

/** A first row that is longer is not carried along. */
const MAX_HEADER_CHARS = 16 * 1024;
const OPEN_QUOTE = "A quoted cell is never closed, or too long, so its lines were kept as they are.";

/**
 * Comma- or tab-separated rows: cut between rows, each piece read like a short file that begins with the names of the
 * columns.
 */
export const rowsReader: StreamReader = {
  reader: csvReader,
  async read(input) {
    const known = input.state as Partial<RowState>;
    const units = codeUnits(input.window, input.encoding);
    const delimiter = known.delimiter ?? (await delimiterOf(input));
    const state: RowState = { header: null, columns: null, rows: 0, ...known, delimiter };
    const ends = rowEnds(units.codes, delimiter.charCodeAt(0), input.atEnd);
    if (ends.count === 0) return readLines(input, units, state);
    return readRows(input, units, ends, state);
  },
};

async function delimiterOf({ window, encoding, extension }: StreamInput): Promise<string> {
  const { default: papa } = await import("papaparse");
  const text = await decodePiece(window, encoding);
  return /^sep=(.)\n/i.exec(text)?.[1] ?? guessDelimiter(papa, text, extension);
}

/** Where no row ends, lines are all that is left. */
async function readLines(input: StreamInput, units: CodeUnits, state: RowState): Promise<StreamPiece> {
  const bytes = input.atEnd ? input.window.length : lineCut(units) * units.unitBytes;
  const text = await decodePiece(input.window.subarray(0, bytes), input.encoding);
  const lines = countLines(text);
  const part: Part = { text, markup: "plain", locator: null, lines: { kind: "same", first: input.line } };
  const next = { ...state, rows: state.rows + lines };
  const { joint, title, metadata } = told(input, next);
  return { bytes, lines, parts: [part], joint, title, metadata, warnings: [OPEN_QUOTE], state: { ...next } };
}

async function readRows(
  input: StreamInput,
  { codes, unitBytes }: CodeUnits,
  ends: RowEnds,
  state: RowState,
): Promise<StreamPiece> {
  const { window, encoding, line } = input;
  // In UTF-16 the file may end with half a character, behind the last row.
  const isEnd = input.atEnd && ends.last === codes.length;
  const bytes = isEnd ? window.length : ends.last * unitBytes;
  const text = await decodePiece(window.subarray(0, bytes), encoding);
  const lines = countLines(text);
  const isFirst = state.rows === 0;
  // The line that names the delimiter is one for the reader alone, and so is a header that is repeated.
  const isNamed = isFirst && /^sep=.\n/i.test(text);
  const before = (isNamed ? "" : `sep=${state.delimiter}\n`) + (state.header ?? "");
  const parsed = await csvReader.read({
    ...input,
    bytes: window.subarray(0, bytes),
    text: { text: before + text, encoding, warnings: [] },
    mediaType: null,
    snapshot: false,
    firstLine: line - countLines(before),
  });
  const parts = parsed.parts.map((part) => moved(part, state));
  const first = isFirst
    ? await headerOf(window.subarray(0, ends.first * unitBytes), encoding, parsed)
    : { header: state.header, columns: state.columns };
  const next = { ...state, ...first, rows: state.rows + ends.count - (isNamed ? 1 : 0) };
  const { joint, title, metadata } = told(input, next);
  return { bytes, lines, parts, joint, title, metadata, warnings: parsed.warnings, state: { ...next } };
}

/** The names of the columns, where the reader has found some and repeats them above each group of rows. */
async function headerOf(
  firstRow: Buffer,
  encoding: string,
  parsed: { readonly parts: readonly Part[]; readonly metadata: Readonly<Record<string, unknown>> },
): Promise<Pick<RowState, "header" | "columns">> {
  const columns = parsed.metadata["columns"] ?? null;
  const [one, other] = parsed.parts;
  const lineOf = (part: Part | undefined): string | undefined => part?.text.split("\n", 1)[0];
  const repeats = columns !== null && other !== undefined && lineOf(one) === lineOf(other);
  const text = repeats ? await decodePiece(firstRow, encoding) : "";
  // What stands behind a line of its own (sep=) is not the first row.
  const isRow = repeats && text.length <= MAX_HEADER_CHARS && !/^sep=.\n/i.test(text);
  return { header: isRow ? text : null, columns };
}

function told(
  { encoding }: StreamInput,
  { delimiter, rows, columns }: RowState,
): Pick<StreamPiece, "joint" | "title" | "metadata"> {
  return { joint: PART_JOINT, title: null, metadata: { encoding, delimiter, rows, columns } };
}

/** Rows are counted on from the pieces before; the names that stand in front of this one are none of its rows. */
function moved(part: Part, { rows, header }: RowState): Part {
  const range = part.locator?.range;
  if (range === undefined || rows === 0) return part;
  const names = header === null ? 0 : 1;
  const shifted = range.replaceAll(/\d+/g, (number) => String(Math.max(1, Number(number) - names) + rows));
  return { ...part, locator: { ...part.locator, range: shifted } };
}
