import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createPostingCache } from "../../workers/search/postings/posting-cache.ts";
import { createTokenizer, expressionOf } from "../../workers/search/tokenizer.ts";
import { placesIn, type PlacesByNumber } from "../support/places.ts";
import { drawnRows, openWordIndex, toldByFts5, writeRows, type WordIndex } from "../support/word-index.ts";

function remove({ writer }: WordIndex, numbers: readonly number[]): void {
  const drop = writer.prepare("DELETE FROM unit_words WHERE rowid = ?");
  writer.transaction(() => numbers.forEach((number) => drop.run(number)))();
}

function merge({ writer }: WordIndex, pages: number): void {
  writer.prepare("INSERT INTO unit_words(unit_words, rank) VALUES ('merge', ?)").run(pages);
}

function expectAllTold(opened: WordIndex): void {
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
  expectTerms(opened, expected);
}

/** All terms in their order, each with how many rows have it: those that take several pages about. */
function expectTerms({ pages }: WordIndex, expected: ReadonlyMap<string, PlacesByNumber>): void {
  const told = [...pages.terms("")!];
  expect(told.map(([term]) => term)).toEqual([...expected.keys()]);
  for (const [term, units] of told) {
    const rows = expected.get(term)!.size;
    const least = rows < 100 ? rows : rows / 2;
    expect([term, units >= least && units <= (rows < 100 ? rows : rows * 2)]).toEqual([term, true]);
  }
  const half = Math.floor(told.length / 2);
  expect([...pages.terms(told[half]?.[0] ?? "")!]).toEqual(told.slice(half + 1));
}

const words = "key rotate lock package csharp 请假 流程 ключ a the of x1 x2".split(" ");
const row = fc.record({
  title: fc.array(fc.constantFrom(...words), { maxLength: 3 }).map((said) => said.join(" ")),
  body: fc.array(fc.constantFrom(...words), { maxLength: 40 }).map((said) => said.join(" ")),
});

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
        const opened = openWordIndex();
        let next = 1;
        for (const one of steps) {
          if ("rows" in one) {
            writeRows(opened, next, one.rows);
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
    const opened = openWordIndex();
    for (let commit = 0; commit < 8; commit++)
      writeRows(opened, 1 + commit * 300, drawnRows(300, commit + 1));
    expectAllTold(opened);
    remove(
      opened,
      Array.from({ length: 400 }, (_, at) => 1 + at * 6),
    );
    merge(opened, -20);
    expectAllTold(opened);
    for (let at = 0; at < 3; at++) merge(opened, 20);
    writeRows(opened, 2401, drawnRows(50, 99));
    expectAllTold(opened);
    merge(opened, -100_000);
    expectAllTold(opened);
  });

  it("tell what stands behind a number, and in how many units a word stands", () => {
    const opened = openWordIndex();
    for (let commit = 0; commit < 6; commit++)
      writeRows(opened, 1 + commit * 400, drawnRows(400, commit + 1));
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

  it("count a word the same before its postings are kept and after: a query is answered the same then", () => {
    const opened = openWordIndex();
    writeRows(opened, 1, drawnRows(2400, 1));
    const cache = createPostingCache(opened.reader);
    let inexact = 0;
    for (const [term, wanted] of toldByFts5(opened)) {
      const counted = cache.frequency(term);
      cache.of({ match: `"${term}"`, terms: [term] });
      expect(cache.frequency(term)).toBe(counted);
      if (counted !== wanted.size) inexact++;
    }
    expect(inexact).toBeGreaterThan(0);
  });

  it("of another form than is known are left to FTS5, which finds the same", () => {
    const opened = openWordIndex();
    const { writer, reader } = opened;
    writeRows(opened, 1, drawnRows(300, 1));
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
          const opened = openWordIndex();
          writeRows(opened, 1, rows);
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
