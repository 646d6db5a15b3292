import path from "node:path";
import Sqlite from "better-sqlite3";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { createWordPages, type WordPages } from "../../workers/search/postings/fts5/word-pages.ts";
import { openIndexReader, type IndexReader } from "../../workers/search/index-reader.ts";
import { createPostingCache } from "../../workers/search/postings/posting-cache.ts";
import { createTokenizer, expressionOf } from "../../workers/search/tokenizer.ts";
import { buildIndex } from "../support/build-index.ts";
import { placesIn, type PlacesByNumber } from "../support/places.ts";
import { createRandom } from "../support/random.ts";
import { temporaryFolder } from "../support/temporary.ts";

interface Opened {
  readonly writer: Sqlite.Database;
  readonly reader: IndexReader;
  readonly pages: WordPages;
}

/** An index of words alone, with a connection that writes rows of its own. */
function open(): Opened {
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

interface Row {
  readonly title: string;
  readonly body: string;
}

function write({ writer }: Opened, first: number, rows: readonly Row[]): void {
  const insert = writer.prepare("INSERT INTO unit_words(rowid, title, body) VALUES (?, ?, ?)");
  writer.transaction(() => rows.forEach(({ title, body }, at) => insert.run(first + at, title, body)))();
}

function remove({ writer }: Opened, numbers: readonly number[]): void {
  const drop = writer.prepare("DELETE FROM unit_words WHERE rowid = ?");
  writer.transaction(() => numbers.forEach((number) => drop.run(number)))();
}

function merge({ writer }: Opened, pages: number): void {
  writer.prepare("INSERT INTO unit_words(unit_words, rank) VALUES ('merge', ?)").run(pages);
}

/** As FTS5 tells it, of all terms. */
function toldByFts5({ reader }: Opened): Map<string, PlacesByNumber> {
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

function expectAllTold(opened: Opened): void {
  const expected = toldByFts5(opened);
  opened.pages.refresh();
  for (const [term, wanted] of expected) {
    const postings = opened.pages.postings(term, 0);
    expect(postings).not.toBeNull();
    const found = placesIn(postings);
    const marked = new Uint8Array(3000);
    expect(opened.pages.mark(term, marked)).toBe(true);
    expect([...wanted.keys()].every((number) => marked[number] === 1)).toBe(true);
    expect([term, [...found.keys()]]).toEqual([term, [...wanted.keys()].toSorted((a, b) => a - b)]);
    // Deep equality of thousands of entries takes minutes: compared as text.
    const text = (of: PlacesByNumber) => [...of].toSorted((a, b) => a[0] - b[0]).join(";");
    expect(text(found) === text(wanted) || term).toBe(true);
  }
  expect(opened.pages.postings("nowhere", 0)?.numbers).toHaveLength(0);
}

const words = "key rotate lock package csharp 请假 流程 ключ a the of x1 x2".split(" ");
const row = fc.record({
  title: fc.array(fc.constantFrom(...words), { maxLength: 3 }).map((said) => said.join(" ")),
  body: fc.array(fc.constantFrom(...words), { maxLength: 40 }).map((said) => said.join(" ")),
});

/** Rows of words, frequent ones and rare ones, as a seed draws them. */
function drawn(count: number, seed: number): Row[] {
  const random = createRandom(seed);
  const word = () => `w${Math.floor(random() ** 4 * 250)}`;
  return Array.from({ length: count }, (_, at) => ({
    title: at % 3 === 0 ? "" : `${word()} common`,
    body: `${Array.from({ length: 10 + Math.floor(random() * 40) }, word).join(" ")} common ${at % 2 ? "common" : ""}`,
  }));
}

describe("FTS5's pages, read without it", () => {
  it("tell what FTS5 tells, whatever was written, deleted and merged in whatever order", () => {
    expect.hasAssertions();
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.array(row, { minLength: 1, maxLength: 6 }).map((rows) => ({ rows })) },
      { weight: 2, arbitrary: fc.array(fc.nat(40), { maxLength: 4 }).map((gone) => ({ gone })) },
      { weight: 1, arbitrary: fc.integer({ min: -64, max: 64 }).map((pages) => ({ pages })) },
    );
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
        const opened = open();
        let next = 1;
        for (const one of steps) {
          if ("rows" in one) {
            write(opened, next, one.rows);
            next += one.rows.length;
          } else if ("gone" in one)
            remove(
              opened,
              [...new Set(one.gone)].filter((at) => at > 0 && at < next),
            );
          else merge(opened, one.pages);
          expectAllTold(opened);
        }
      }),
      { numRuns: 12 },
    );
  });

  it("tell the same of words on hundreds of pages, with merges that are half done and rows that are deleted", () => {
    expect.hasAssertions();
    const opened = open();
    for (let commit = 0; commit < 8; commit++) write(opened, 1 + commit * 300, drawn(300, commit + 1));
    expectAllTold(opened);
    remove(
      opened,
      Array.from({ length: 400 }, (_, at) => 1 + at * 6),
    );
    merge(opened, -20);
    expectAllTold(opened);
    for (let at = 0; at < 3; at++) merge(opened, 20);
    write(opened, 2401, drawn(50, 99));
    expectAllTold(opened);
    merge(opened, -100_000);
    expectAllTold(opened);
  });

  it("tell what stands behind a number, and in how many units a word stands", () => {
    const opened = open();
    for (let commit = 0; commit < 6; commit++) write(opened, 1 + commit * 400, drawn(400, commit + 1));
    merge(opened, -30);
    for (const [term, wanted] of toldByFts5(opened)) {
      for (const after of [0, 399, 400, 1777, 2400]) {
        const behind = [...(opened.pages.postings(term, after)?.numbers ?? [])];
        expect(behind).toEqual([...wanted.keys()].filter((n) => n > after).toSorted((a, b) => a - b));
      }
      const ratio = (opened.pages.frequency(term) ?? 0) / wanted.size;
      expect(Math.abs(Math.log(ratio))).toBeLessThan(wanted.size < 300 ? 1e-9 : 0.25);
    }
    expect(opened.pages.frequency("nowhere")).toBe(0);
  });

  it("of another form than is known are left to FTS5, which finds the same", () => {
    const opened = open();
    const { writer, reader } = opened;
    write(opened, 1, drawn(300, 1));
    // As FTS5 itself writes it once rows are deleted with its option secure-delete.
    writer.unsafeMode(true);
    writer.exec("UPDATE unit_words_config SET v = 5 WHERE k = 'version'");
    expect(opened.pages.postings("common", 0)).toBeNull();
    expect(opened.pages.frequency("common")).toBeNull();
    const cache = createPostingCache(reader);
    const found = placesIn(cache.of({ match: '"common"', terms: ["common"] }));
    expect(found).toEqual(toldByFts5(opened).get("common"));
  });
});

describe("words beside one another, found in memory", () => {
  it("are those that FTS5 finds: phrases by how often they stand in title and body, and what is close together", () => {
    expect.hasAssertions();
    const tokenizer = createTokenizer();
    const said = fc.array(fc.constantFrom(...words.slice(0, 7)), { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 12 }),
        said,
        fc.nat(8),
        (rows, tokens, between) => {
          const opened = open();
          write(opened, 1, rows);
          const { reader } = opened;
          const matching = (match: string) =>
            reader
              .statement("SELECT rowid FROM unit_words WHERE unit_words MATCH ? ORDER BY rowid")
              .pluck()
              .all(match);
          const cache = createPostingCache(reader);
          const phrase = expressionOf(tokenizer, { kind: "literal", tokens });
          const { numbers, titles, bodies } = cache.of(phrase);
          expect([...numbers]).toEqual(matching(phrase.match));
          numbers.forEach((number, at) => {
            const [title, body] = [rows[number - 1]!.title, rows[number - 1]!.body].map((text) =>
              timesOf(text.split(" "), tokens),
            );
            expect([titles[at], bodies[at]]).toEqual([title, body]);
          });
          const longer = [...tokens, tokens[0]!];
          const { match, terms } = expressionOf(tokenizer, { kind: "literal", tokens: longer });
          const kept = terms!.filter((_, at) => at % 2 === 0);
          const apart = cache.of({ match, terms: kept, offsets: kept.map((_, at) => 2 * at) });
          const wanted = rows.flatMap(({ title, body }, at) =>
            [title, body].some((text) => timesOf(text.split(" "), longer, 2) > 0) ? at + 1 : [],
          );
          expect([...apart.numbers]).toEqual(wanted);
          const close = `NEAR(${tokens.map((token) => `"${token}"`).join(" ")}, ${between})`;
          expect(cache.close({ ...phrase, match: close }, between, 100)).toEqual(matching(close));
        },
      ),
      { numRuns: 80 },
    );
    tokenizer.close();
  });
});

/** `step` 2: each other word of the phrase may be any. */
function timesOf(text: readonly string[], phrase: readonly string[], step = 1): number {
  return text.filter((_, at) =>
    phrase.every((word, behind) => behind % step !== 0 || text[at + behind] === word),
  ).length;
}
