import path from "node:path";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { openIndexReader, type IndexReader } from "../../workers/search/index-reader.ts";
import { createPostingCache, type PostingCache } from "../../workers/search/posting-cache.ts";
import { scoreWords } from "../../workers/search/score-words.ts";
import { createTokenizer } from "../../workers/search/tokenizer.ts";
import { planQuery, toMatch, unitMatch } from "../../workers/words/query.ts";
import { buildIndex, type TestIndex } from "../support/build-index.ts";
import { temporaryFolder } from "../support/temporary.ts";

const tokenizer = createTokenizer();

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

/** All that is found with its score, out of what is kept in memory. */
function fromMemory({ reader, postings }: Opened, query: string): Scores {
  return reader.snapshot(() => {
    postings.refresh();
    const { lengths } = postings;
    const asked = (planQuery(query) ?? []).map((unit) => {
      const isTerm = unit.tokens.length === 1 && unit.kind !== "prefix";
      const term = isTerm ? (tokenizer.terms(unit.tokens)[0] ?? null) : null;
      return { postings: postings.of(unitMatch(unit), term), times: 1 };
    });
    const norms = { words: lengths.words(), average: lengths.average() };
    const hits = scoreWords(asked, {
      norms,
      units: lengths.units(),
      limit: 10_000,
      accept: null,
      isDeleted: (number) => postings.isDeleted(number),
    });
    return new Map(hits.map(({ number, score }) => [number, score]));
  });
}

/** The same as FTS5 itself finds and scores it. */
function fromFts5({ reader }: Opened, query: string): Scores {
  const units = planQuery(query);
  if (units === null) return new Map();
  const rows = reader
    .statement("SELECT rowid, -bm25(unit_words, 2, 1) FROM unit_words WHERE unit_words MATCH ?")
    .raw()
    .all(toMatch(units)) as [number, number][];
  return new Map(rows);
}

function expectSame(found: Scores, wanted: Scores): void {
  expect([...found.keys()].toSorted((a, b) => a - b)).toEqual([...wanted.keys()].toSorted((a, b) => a - b));
  for (const [number, score] of wanted) expect(found.get(number)).toBeCloseTo(score, 9);
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
  it("score each unit as FTS5 does, read for the first time and with what came since", () => {
    expect.hasAssertions();
    fc.assert(
      fc.property(
        fc.array(document, { minLength: 1, maxLength: 8 }),
        fc.array(query, { minLength: 1, maxLength: 4 }),
        (documents, queries) => {
          const opened = open();
          for (const [at, one] of documents.entries()) {
            opened.index.add({ id: `d${at}`, ...one });
            for (const asked of queries) expectSame(fromMemory(opened, asked), fromFts5(opened, asked));
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it("name no unit that is known to be gone, and all that are there", () => {
    const opened = open();
    const { index, postings, reader } = opened;
    for (let at = 0; at < 20; at++)
      index.add({ id: `d${at}`, chunks: [`rotate the keys ${at}`, "other words"] });
    expect(fromMemory(opened, "rotate keys").size).toBe(20);
    for (let at = 0; at < 20; at += 2) index.remove(`d${at}`);
    index.add({ id: "new", chunks: ["rotate the keys anew"] });
    const stale = fromMemory(opened, "rotate keys");
    const there = fromFts5(opened, "rotate keys");
    expect([...there.keys()].filter((number) => !stale.has(number))).toEqual([]);
    postings.noteDeleted([...stale.keys()].filter((number) => !there.has(number)));
    expect([...fromMemory(opened, "rotate keys").keys()].toSorted((a, b) => a - b)).toEqual(
      [...there.keys()].toSorted((a, b) => a - b),
    );
    // Read anew, they know nothing of what is gone.
    const fresh = { ...opened, postings: createPostingCache(reader) };
    expectSame(fromMemory(fresh, "rotate keys"), there);
  });

  it("counts places in long texts, of which sizes take several bytes, as FTS5 does", () => {
    expect.hasAssertions();
    const opened = open();
    const { index } = opened;
    index.add({ id: "long", chunks: [`${"rotate the keys ".repeat(7000)} end`] });
    index.add({ id: "short", chunks: ["rotate the keys once"] });
    index.add({ id: "none", chunks: ["nothing of it"] });
    for (const asked of ["rotate", "rotate the keys", "keys end"])
      expectSame(fromMemory(opened, asked), fromFts5(opened, asked));
  });

  it("an empty index, and words that stand nowhere, give nothing", () => {
    const opened = open();
    expect(fromMemory(opened, "rotate keys")).toEqual(new Map());
    opened.index.add({ id: "a", chunks: ["something else"] });
    expect(fromMemory(opened, "rotate keys")).toEqual(new Map());
  });

  it("take no more memory than they may, the oldest go first, and forgetting gives it back", () => {
    const { index, reader, postings } = open();
    for (let at = 0; at < 50; at++) index.add({ id: `d${at}`, chunks: [`common word${at}`] });
    const small = createPostingCache(reader, 1500);
    reader.snapshot(() => {
      small.refresh();
      const before = small.bytes();
      for (let at = 0; at < 50; at++) small.of(`"word${at}"`, `word${at}`);
      expect(small.bytes() - before).toBeLessThanOrEqual(1500);
      expect(small.of('"common"', "common").numbers).toHaveLength(50);
      postings.refresh();
      postings.of('"common"', "common");
      const full = postings.bytes();
      postings.forget();
      expect(postings.bytes()).toBeLessThan(full);
      postings.refresh();
      expect(postings.of('"common"', "common").numbers).toHaveLength(50);
    });
  });
});
