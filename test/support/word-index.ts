import path from "node:path";
import Sqlite from "better-sqlite3";
import { onTestFinished } from "vitest";
import { openIndexReader, type IndexReader } from "../../workers/search/index-reader.ts";
import { createWordPages, type WordPages } from "../../workers/search/postings/fts5/word-pages.ts";
import { buildIndex } from "./build-index.ts";
import type { PlacesByNumber } from "./places.ts";
import { createRandom } from "./random.ts";
import { temporaryFolder } from "./temporary.ts";

export interface WordIndex {
  readonly writer: Sqlite.Database;
  readonly reader: IndexReader;
  readonly pages: WordPages;
}

/** An index of words alone, with a connection that writes rows of its own. */
export function openWordIndex(): WordIndex {
  const index = buildIndex(path.join(temporaryFolder(), "index.sqlite"));
  const writer = new Sqlite(index.path);
  const reader = openIndexReader("base", index.path);
  onTestFinished(() => {
    reader.close();
    writer.close();
    index.close();
  });
  return { writer, reader, pages: createWordPages(reader) };
}

export interface Row {
  readonly title: string;
  readonly body: string;
}

export function writeRows({ writer }: WordIndex, first: number, rows: readonly Row[]): void {
  const insert = writer.prepare("INSERT INTO unit_words(rowid, title, body) VALUES (?, ?, ?)");
  writer.transaction(() => rows.forEach(({ title, body }, at) => insert.run(first + at, title, body)))();
}

/** As FTS5 tells it, of all terms. */
export function toldByFts5({ reader }: WordIndex): Map<string, PlacesByNumber> {
  const rows = reader
    .statement("SELECT term, doc, col, offset FROM temp.word_instance ORDER BY term, doc, offset")
    .raw()
    .all() as [string, number, string, number][];
  const terms = new Map<string, PlacesByNumber>();
  for (const [term, number, column, offset] of rows) {
    const told: PlacesByNumber = terms.get(term) ?? new Map();
    terms.set(term, told);
    const places = told.get(number) ?? [[], []];
    told.set(number, places);
    places[column === "title" ? 0 : 1].push(offset + 1);
  }
  return terms;
}

/** Rows of words, frequent ones and rare ones, as a seed draws them. */
export function drawnRows(count: number, seed: number): Row[] {
  const random = createRandom(seed);
  const word = () => `w${Math.floor(random() ** 4 * 250)}`;
  return Array.from({ length: count }, (_, at) => ({
    title: at % 3 === 0 ? "" : `${word()} common`,
    body: `${Array.from({ length: 10 + Math.floor(random() * 40) }, word).join(" ")} common ${at % 2 ? "common" : ""}`,
  }));
}
