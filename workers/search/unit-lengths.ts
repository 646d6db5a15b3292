import type { IndexReader } from "./index-reader.ts";
import { newestNumber } from "./units.ts";

/** How many words each unit has in all its fields, for BM25. Numbers are never reused, so what is known stays true. */
export interface UnitLengths {
  /** Takes in what is new; call it inside the snapshot that is searched. A million units take a quarter of a second. */
  refresh(): void;
  /** By number; 0 for what is no unit. Another array after a refresh. */
  words(): Int32Array;
  /** The highest number that is known. */
  newest(): number;
  /** Units in the index, and the words that one has on average. */
  units(): number;
  average(): number;
  bytes(): number;
}

/** Rows that SQLite puts into one text: a row of its own for each would take ten times as long to bring over. */
const PAGE_ROWS = 50_000;
const PAGE = `
  SELECT group_concat(id || ' ' || hex(sz)) FROM (
    SELECT id, sz FROM unit_words_docsize WHERE id > ? ORDER BY id LIMIT ${PAGE_ROWS})`;
/** FTS5's own record of totals: rows, then words of each column, as variable-length integers. */
const TOTALS = "SELECT block FROM unit_words_data WHERE id = 1";

const SPACE = 32;
const COMMA = 44;

export function createUnitLengths(reader: IndexReader): UnitLengths {
  let lengths = new Int32Array(1024);
  let newest = 0;
  let [units, average] = [0, 1];

  function readTotals(): void {
    const block = reader.statement(TOTALS).pluck().get() as Uint8Array | undefined;
    const [rows = 0, ...words] = block ? integersOf(block) : [];
    units = rows;
    average = rows > 0 ? Math.max(1, words.reduce((sum, count) => sum + count, 0) / rows) : 1;
  }

  function grow(size: number): void {
    if (size <= lengths.length) return;
    const wider = new Int32Array(Math.max(size, lengths.length * 2));
    wider.set(lengths);
    lengths = wider;
  }

  return {
    refresh() {
      readTotals();
      const last = newestNumber(reader);
      grow(last + 1);
      while (newest < last) {
        const text = reader.statement(PAGE).pluck().get(newest) as string | null;
        const reached = text === null ? last : readPage(text, lengths);
        newest = Math.max(reached, newest + 1);
      }
    },
    words: () => lengths,
    newest: () => newest,
    units: () => units,
    average: () => average,
    bytes: () => lengths.byteLength,
  };
}

/** `<number> <hexadecimal sizes>,…`, ascending; answers the last number. */
function readPage(text: string, lengths: Int32Array): number {
  let number = 0;
  for (let at = 0; at < text.length; at++) {
    number = 0;
    for (let code = text.charCodeAt(at); code !== SPACE; code = text.charCodeAt(++at))
      number = number * 10 + code - 48;
    at++;
    let [words, value] = [0, 0];
    while (at < text.length && text.charCodeAt(at) !== COMMA) {
      const byte = (digitOf(text.charCodeAt(at)) << 4) | digitOf(text.charCodeAt(at + 1));
      at += 2;
      value = (value << 7) | (byte & 0x7f);
      if (byte >= 0x80) continue;
      words += value;
      value = 0;
    }
    lengths[number] = words;
  }
  return number;
}

function digitOf(code: number): number {
  return code < 58 ? code - 48 : code - 55;
}

/** SQLite's variable-length integers: seven bits a byte, the highest first, eight in the ninth. */
function integersOf(bytes: Uint8Array): number[] {
  const found: number[] = [];
  let [value, length] = [0, 0];
  for (const byte of bytes) {
    length++;
    value = length === 9 ? value * 256 + byte : value * 128 + (byte & 0x7f);
    if (byte >= 0x80 && length < 9) continue;
    found.push(value);
    [value, length] = [0, 0];
  }
  return found;
}
