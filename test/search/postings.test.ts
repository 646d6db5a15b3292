import path from "node:path";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { openIndexReader, type IndexReader } from "../../workers/search/index-reader.ts";
import {
  createPostingCache,
  type Expression,
  type PostingCache,
} from "../../workers/search/postings/posting-cache.ts";
import type { Postings } from "../../workers/search/postings/postings.ts";
import { createTokenizer, expressionOf } from "../../workers/search/tokenizer.ts";
import { planQuery, toMatch } from "../../workers/words/query.ts";
import { buildIndex, type TestIndex } from "../support/build-index.ts";
import { placesIn, type PlacesByNumber } from "../support/places.ts";
import { temporaryFolder } from "../support/temporary.ts";

const tokenizer = createTokenizer();

const word = (term: string): Expression => ({ match: `"${term}"`, terms: [term] });

interface Opened {
  readonly index: TestIndex;
  readonly reader: IndexReader;
  readonly postings: PostingCache;
}

function open(): Opened {
  const index = buildIndex(path.join(temporaryFolder(), "index.sqlite"));
  const reader = openIndexReader("base", index.path);
  onTestFinished(() => {
    reader.close();
    index.close();
  });
  return { index, reader, postings: createPostingCache(reader) };
}

type Scores = Map<number, number>;
type Weights = readonly [title: number, body: number];

/** What the query asks for, out of what is kept in memory. */
function askedOf({ postings }: Pick<Opened, "postings">, query: string): Postings[] {
  return (planQuery(query) ?? []).map((unit) => postings.of(expressionOf(tokenizer, unit)));
}

/** BM25 as FTS5 has it, of the counts and lengths in memory: one length for both fields, each count with its weight. */
function fromMemory({ reader, postings }: Opened, query: string, [title, body]: Weights): Scores {
  return reader.snapshot(() => {
    postings.refresh();
    const { titles, bodies, averageTitle, averageBody } = postings.lengths.fields();
    const units = postings.lengths.units();
    const scores: Scores = new Map();
    for (const asked of askedOf({ postings }, query)) {
      const frequency = asked.numbers.length;
      const idf = Math.max(1e-6, Math.log((units - frequency + 0.5) / (frequency + 0.5)));
      asked.numbers.forEach((number, at) => {
        if (postings.isDeleted(number)) return;
        const count = title * asked.titles[at]! + body * asked.bodies[at]!;
        const length = (titles[number]! + bodies[number]!) / (averageTitle + averageBody);
        const score = (idf * count * 2.2) / (count + 1.2 * (0.25 + 0.75 * length));
        scores.set(number, (scores.get(number) ?? 0) + score);
      });
    }
    return scores;
  });
}

/** The same as FTS5 itself finds and scores it. */
function fromFts5({ reader }: Opened, query: string, [title, body]: Weights): Scores {
  const units = planQuery(query);
  if (units === null) return new Map();
  const rows = reader
    .statement("SELECT rowid, -bm25(unit_words, ?, ?) FROM unit_words WHERE unit_words MATCH ?")
    .raw()
    .all(title, body, toMatch(units)) as [number, number][];
  return new Map(rows);
}

/** Places of a term in title and body, from 1, by number, as the index's vocabulary tells them. */
function placesOf({ reader }: Opened, term: string): PlacesByNumber {
  const rows = reader
    .statement("SELECT doc, col, offset FROM temp.word_instance WHERE term = ? ORDER BY doc, offset")
    .raw()
    .all(term) as [number, string, number][];
  const places: PlacesByNumber = new Map();
  for (const [number, column, offset] of rows) {
    const all = places.get(number) ?? [[], []];
    all[column === "title" ? 0 : 1].push(offset + 1);
    places.set(number, all);
  }
  return places;
}

function expectSame(found: Scores, wanted: Scores): void {
  expect([...found.keys()].toSorted((a, b) => a - b)).toEqual([...wanted.keys()].toSorted((a, b) => a - b));
  for (const [number, score] of wanted) expect(found.get(number)).toBeCloseTo(score, 9);
}

function expectAlike(opened: Opened, asked: string): void {
  for (const weights of [
    [2, 1],
    [1, 3],
  ] as const)
    expectSame(fromMemory(opened, asked, weights), fromFts5(opened, asked, weights));
}

const vocabulary = [
  ..."key keys rotate rotating the a of package lock json C# 请假 流程 请 月 名前 ключами ключ".split(" "),
  "package-lock.json",
  "getUserName",
  "v1.2.3",
];
const text = fc
  .array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 30 })
  .map((w) => w.join(" "));
const document = fc.record({
  chunks: fc.array(text, { minLength: 1, maxLength: 4 }),
  title: fc.constantFrom("Keys", "package-lock.json", "请假", "Other"),
  format: fc.constantFrom("markdown", "code"),
});
const query = fc
  .array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 6 })
  .map((w) => w.join(" "));

describe("postings in memory", () => {
  it("hold what FTS5 scores by, in each field, read for the first time and with what came since", () => {
    expect.hasAssertions();
    fc.assert(
      fc.property(
        fc.array(document, { minLength: 1, maxLength: 8 }),
        fc.array(query, { minLength: 1, maxLength: 4 }),
        (documents, queries) => {
          const opened = open();
          for (const [at, one] of documents.entries()) {
            opened.index.add({ id: `d${at}`, ...one });
            for (const asked of queries) expectAlike(opened, asked);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it("tell of a word where it stands, in title and body, also of what came since it was read", () => {
    expect.hasAssertions();
    fc.assert(
      fc.property(fc.array(document, { minLength: 1, maxLength: 6 }), (documents) => {
        const opened = open();
        for (const [at, one] of documents.entries()) {
          opened.index.add({ id: `d${at}`, ...one });
          for (const term of ["key", "rotat", "csharp", "lock"]) {
            const postings = opened.reader.snapshot(() => {
              opened.postings.refresh();
              return opened.postings.of(word(term));
            });
            expect(placesIn(postings)).toEqual(placesOf(opened, term));
          }
        }
      }),
      { numRuns: 20 },
    );
  });

  it("name no unit that is known to be gone, and all that are there", () => {
    const opened = open();
    const { index, postings, reader } = opened;
    for (let at = 0; at < 20; at++)
      index.add({ id: `d${at}`, chunks: [`rotate the keys ${at}`, "other words"] });
    expect(fromMemory(opened, "rotate keys", [2, 1]).size).toBe(20);
    for (let at = 0; at < 20; at += 2) index.remove(`d${at}`);
    index.add({ id: "new", chunks: ["rotate the keys anew"] });
    const stale = fromMemory(opened, "rotate keys", [2, 1]);
    const there = fromFts5(opened, "rotate keys", [2, 1]);
    expect([...there.keys()].filter((number) => !stale.has(number))).toEqual([]);
    postings.noteDeleted([...stale.keys()].filter((number) => !there.has(number)));
    expect([...fromMemory(opened, "rotate keys", [2, 1]).keys()].toSorted((a, b) => a - b)).toEqual(
      [...there.keys()].toSorted((a, b) => a - b),
    );
    // Read anew, they know nothing of what is gone.
    const fresh = { ...opened, postings: createPostingCache(reader) };
    expectSame(fromMemory(fresh, "rotate keys", [2, 1]), there);
  });

  it("counts places in long texts, of which sizes take several bytes, as FTS5 does", () => {
    expect.hasAssertions();
    const opened = open();
    const { index } = opened;
    index.add({ id: "long", chunks: [`${"rotate the keys ".repeat(7000)} end`] });
    index.add({ id: "short", chunks: ["rotate the keys once"] });
    index.add({ id: "none", chunks: ["nothing of it"] });
    for (const asked of ["rotate", "rotate the keys", "keys end"]) expectAlike(opened, asked);
  });

  it("tell at once that a word occurs which came with the last unit, and that one is gone with it", () => {
    const { index, reader, postings } = open();
    const asked = (text: string) =>
      reader.snapshot(() => {
        postings.refresh();
        const expression = expressionOf(tokenizer, { kind: "literal", tokens: text.split(" ") });
        return [postings.occurs(expression), postings.frequency(expression.terms?.[0] ?? "")];
      });
    for (let at = 0; at < 40; at++) index.add({ id: `d${at}`, chunks: ["rotate the keys"] });
    expect([asked("harbours"), asked("keys rotate"), asked("keys")]).toEqual([
      [false, 0],
      [false, 40],
      [true, 40],
    ]);
    index.add({ id: "new", chunks: ["a harbour"] });
    expect(asked("harbours")).toEqual([true, 1]);
    index.remove("new");
    expect(asked("harbours")[0]).toBe(false);
  });

  it("an empty index, and words that stand nowhere, give nothing", () => {
    const opened = open();
    expect(fromMemory(opened, "rotate keys", [2, 1])).toEqual(new Map());
    opened.index.add({ id: "a", chunks: ["something else"] });
    expect(fromMemory(opened, "rotate keys", [2, 1])).toEqual(new Map());
  });

  it("take no more memory than they may, the oldest go first, and forgetting gives it back", () => {
    const { index, reader, postings } = open();
    for (let at = 0; at < 50; at++) index.add({ id: `d${at}`, chunks: [`common word${at}`] });
    const small = createPostingCache(reader, 1500);
    reader.snapshot(() => {
      small.refresh();
      const before = small.bytes();
      for (let at = 0; at < 50; at++) small.of(word(`word${at}`));
      expect(small.bytes() - before).toBeLessThanOrEqual(1500);
      expect(small.of(word("common")).numbers).toHaveLength(50);
      postings.refresh();
      postings.of(word("common"));
      const full = postings.bytes();
      postings.forget();
      expect(postings.bytes()).toBeLessThan(full);
      postings.refresh();
      expect(postings.of(word("common")).numbers).toHaveLength(50);
    });
  });
});
