import { printedText } from "../spreadsheet/printed-text.ts";
import { createRowBudget } from "../spreadsheet/row-budget.ts";

const MAX_ROWS = 65_536;
/** Stands for a record that is not to be read: of a selection nothing is kept. */
const IGNORED = 0x001d;
const CONTINUE = 0x003c;
const MULTIPLE_NUMBERS = 0x00bd;
const LINK = 0x01b8;
const BEGIN: ReadonlySet<number> = new Set([0x0009, 0x0209, 0x0409, 0x0809]);
const END = 0x000a;
/** Records that begin with the row of one cell that is not empty. */
const CELL: ReadonlySet<number> = new Set([
  0x0002, 0x0003, 0x0004, 0x0005, 0x0006, 0x007e, 0x00d6, 0x00fd, 0x0203, 0x0204, 0x0205, 0x0206, 0x027e,
  0x0406,
]);
/** What hangs on cells: links, notes, and the objects that hold the texts of notes. */
const EXTRA: ReadonlySet<number> = new Set([0x001c, 0x005d, 0x01b6, LINK]);
/** Sheets and their names, code page and calendar, formats, shared and computed texts, sizes. Nothing else makes a cell. */
const NEEDED: ReadonlySet<number> = new Set([
  0x0000,
  0x0007,
  END,
  0x001e,
  0x0022,
  CONTINUE,
  0x0042,
  0x0043,
  0x0044,
  0x0081,
  0x0085,
  0x008e,
  0x008f,
  MULTIPLE_NUMBERS,
  0x00e0,
  0x00fc,
  0x0200,
  0x0207,
  0x0243,
  0x041e,
  0x0443,
  ...BEGIN,
  ...CELL,
]);
const OBJECT = 0x005d;
const OBJECT_TEXT = 0x01b6;
const NOTE_OBJECT = 0x19;
const HEADER = 0x0014;
const FOOTER = 0x0015;
const CHART_TEXT = 0x100d;

export interface BiffSheet {
  /** 0-based; -1 when there is none. */
  readonly lastRow: number;
  /** Text boxes, titles in charts, what is printed above and below the pages. */
  readonly texts: readonly string[];
}

export interface BiffFacts {
  readonly rowLimit: number | null;
  /** In the order of the stream, which is that of the sheets. */
  readonly sheets: readonly BiffSheet[];
}

/**
 * Walks through the records of a workbook's stream and makes it harmless in place: what is not needed to read the cells is
 * turned off (a single odd name or filter would cost the whole file), and a link marks one cell, however many it claims.
 */
export function tameBiff(stream: Buffer, withExtras: boolean, maxCells: number): BiffFacts {
  const budget = createRowBudget(MAX_ROWS, maxCells);
  const sheets: { lastRow: number; texts: string[] }[] = [];
  let depth = 0;
  let substreams = 0;
  let objectKind = 0;
  for (let at = 0; at + 4 <= stream.length;) {
    const type = stream.readUInt16LE(at);
    const length = stream.readUInt16LE(at + 2);
    const body = stream.subarray(at + 4, at + 4 + length);
    const sheet = sheets.at(-1);
    if (BEGIN.has(type)) {
      // The first one is of the workbook itself; one inside of another is a chart.
      if (depth++ === 0 && substreams++ > 0) sheets.push({ lastRow: -1, texts: [] });
    } else if (type === END) depth = Math.max(0, depth - 1);
    else if (type === OBJECT) objectKind = body.length >= 6 ? body.readUInt16LE(4) : 0;
    else if (sheet !== undefined && depth === 1 && (CELL.has(type) || type === MULTIPLE_NUMBERS)) {
      const row = body.length >= 2 ? body.readUInt16LE(0) : 0;
      sheet.lastRow = Math.max(sheet.lastRow, row);
      budget.count(row, type === MULTIPLE_NUMBERS ? Math.max(1, Math.floor((length - 6) / 6)) : 1);
    } else sheet?.texts.push(...textsOf(type, body, stream, at + 4 + length, objectKind));
    if (!NEEDED.has(type) && !(withExtras && EXTRA.has(type))) stream.writeUInt16LE(IGNORED, at);
    else if (type === LINK && body.length >= 8) {
      body.copyWithin(2, 0, 2);
      body.copyWithin(6, 4, 6);
    }
    at += 4 + length;
  }
  return { rowLimit: budget.rowLimit(), sheets };
}

function textsOf(type: number, body: Buffer, stream: Buffer, next: number, objectKind: number): string[] {
  if (type === HEADER || type === FOOTER) return [printedText(longText(body, 0))];
  if (type === CHART_TEXT && body.length > 4) {
    const text = characters(body.subarray(4), body[2] ?? 0, body[3] ?? 0);
    return text === "" ? [] : [`[Chart: ${text}]`];
  }
  if (type !== OBJECT_TEXT || objectKind === NOTE_OBJECT || body.length < 12) return [];
  // The text stands in the record behind it.
  if (next + 5 > stream.length || stream.readUInt16LE(next) !== CONTINUE) return [];
  const text = stream.subarray(next + 4, next + 4 + stream.readUInt16LE(next + 2));
  return [characters(text.subarray(1), body.readUInt16LE(10), text[0] ?? 0)];
}

/** Two bytes of length, one of flags, then the text. */
function longText(body: Buffer, at: number): string {
  if (body.length < at + 4) return "";
  return characters(body.subarray(at + 3), body.readUInt16LE(at), body[at + 2] ?? 0);
}

function characters(bytes: Buffer, count: number, flags: number): string {
  const isWide = (flags & 1) === 1;
  return bytes.subarray(0, isWide ? 2 * count : count).toString(isWide ? "utf16le" : "latin1");
}
