import { integersOf } from "./fts5/structure.ts";
import type { IndexReader } from "../index-reader.ts";
import { newestNumber } from "../units.ts";

/** How many words each unit has in its title and in its body, by number; 0 for what is no unit. */
export interface FieldLengths {
  /** At most 65,535 each. */
  readonly titles: Uint16Array;
  readonly bodies: Uint16Array;
  /** Words that a unit has on average; never less than 1. */
  readonly averageTitle: number;
  readonly averageBody: number;
}

/** The lengths of all units, for BM25. Numbers are never reused, so what is known stays true. */
export interface UnitLengths {
  /** Takes in what is new; call it inside the snapshot that is searched. A million units take a quarter of a second. */
  refresh(): void;
  /** Other arrays after a refresh. */
  fields(): FieldLengths;
  /** The highest number that is known. */
  newest(): number;
  /** Units in the index. */
  units(): number;
  bytes(): number;
}

/** Rows that SQLite puts into one text: a row of its own for each would take ten times as long to bring over. */
const PAGE_ROWS = 50_000;
const PAGE = `
  SELECT group_concat(id || ' ' || hex(sz)) FROM (
    SELECT id, sz FROM unit_words_docsize WHERE id > ? ORDER BY id LIMIT ${PAGE_ROWS})`;
/** FTS5's own record of totals: rows, then words of each column, as variable-length integers. */
const TOTALS = "SELECT block FROM unit_words_data WHERE id = 1";

const MOST = 0xffff;
const SPACE = 32;
const COMMA = 44;

export function createUnitLengths(reader: IndexReader): UnitLengths {
  let titles = new Uint16Array(1024);
  let bodies = new Uint16Array(1024);
  let newest = 0;
  let [units, averageTitle, averageBody] = [0, 1, 1];

  function readTotals(): void {
    const block = reader.statement(TOTALS).pluck().get() as Uint8Array | undefined;
    const [rows = 0, title = 0, body = 0] = block ? integersOf(block) : [];
    units = rows;
    averageTitle = Math.max(1, title / Math.max(1, rows));
    averageBody = Math.max(1, body / Math.max(1, rows));
  }

  function grow(size: number): void {
    if (size <= bodies.length) return;
    const wider = Math.max(size, bodies.length * 2);
    titles = widened(titles, new Uint16Array(wider));
    bodies = widened(bodies, new Uint16Array(wider));
  }

  return {
    refresh() {
      readTotals();
      const last = newestNumber(reader);
      grow(last + 1);
      while (newest < last) {
        const text = reader.statement(PAGE).pluck().get(newest) as string | null;
        const reached = text === null ? last : readPage(text, titles, bodies);
        newest = Math.max(reached, newest + 1);
      }
    },
    fields: () => ({ titles, bodies, averageTitle, averageBody }),
    newest: () => newest,
    units: () => units,
    bytes: () => titles.byteLength + bodies.byteLength,
  };
}

function widened<A extends Uint16Array>(known: A, wider: A): A {
  wider.set(known);
  return wider;
}

/** `<number> <hexadecimal sizes>,…`, ascending; answers the last number. */
function readPage(text: string, titles: Uint16Array, bodies: Uint16Array): number {
  let number = 0;
  for (let at = 0; at < text.length; at++) {
    number = 0;
    for (let code = text.charCodeAt(at); code !== SPACE; code = text.charCodeAt(++at))
      number = number * 10 + code - 48;
    at++;
    let [inTitle, value] = [-1, 0];
    while (at < text.length && text.charCodeAt(at) !== COMMA) {
      const byte = (digitOf(text.charCodeAt(at)) << 4) | digitOf(text.charCodeAt(at + 1));
      at += 2;
      value = (value << 7) | (byte & 0x7f);
      if (byte >= 0x80) continue;
      if (inTitle < 0) inTitle = value;
      else bodies[number] = Math.min(MOST, value);
      value = 0;
    }
    titles[number] = Math.min(MOST, Math.max(0, inTitle));
  }
  return number;
}

function digitOf(code: number): number {
  return code < 58 ? code - 48 : code - 55;
}
