import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import * as fc from "fast-check";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { locations } from "../../config/locations.ts";
import { methodTable } from "../../rpc/contract/index.ts";
import { loadStaticModel } from "../../workers/embed/static-model.ts";
import { loadWordMeanings } from "../../workers/embed/word-meanings.ts";
import type { LaneQuery, SearchTasks } from "../../workers/search/contract.ts";
import { openIndexReader, type IndexReader } from "../../workers/search/index-reader.ts";
import { readUnits, withReading } from "../../workers/search/ranking/reading.ts";
import { createSearchService } from "../../workers/search/service.ts";
import { buildIndex, type TestIndex } from "../support/build-index.ts";
import { queryParams, useSearch } from "../support/search-fixture.ts";

const meanings = loadWordMeanings(locations.embeddedModel);

describe("reading passages", () => {
  let folder = "";
  let index: TestIndex;
  let reader: IndexReader;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "knowd-reading-"));
    index = buildIndex(path.join(folder, "index.sqlite"));
    reader = openIndexReader("base", index.path);
  });
  afterEach(() => {
    reader.close();
    index.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function ask(text: string, numbers: readonly number[], { doubted = 1, nearest = 0.4 } = {}) {
    return readUnits(reader, meanings, { text, doubted, nearest }, new Set(numbers));
  }
  function read(query: string, passages: readonly string[]) {
    passages.forEach((text, at) => index.add({ id: `doc-${at}`, chunks: [text] }));
    return ask(
      query,
      passages.map((_, at) => at + 1),
    );
  }

  it("finds what means the same in other words above what has one of the words by chance", () => {
    const { share, meanings: found } = read("how do I make the dog sleep at night", [
      "A puppy that is tired in the evening dozes until the morning, and so do its owners.",
      "How to make a table of the figures that the office has to keep for the year.",
    ])!;
    expect(share).toBe(1);
    expect(found.get(1)!).toBeGreaterThan(found.get(2)! + 0.05);
  });

  it("leaves alone what is asked in names, which have no other words", () => {
    const passages = ["The dog of the neighbours is called by a name that nobody can say."];
    expect(read("zqxvor kelmurto dog", passages)).toBeNull();
    expect(ask("zqxvor puppy", [1])!.share).toBe(1);
  });

  it("counts as much as the words are unsure, and nothing where a vector is near already or there is no word to compare", () => {
    expect(read("old houses", ["It is as good as it was when it was new."])!.share).toBe(1);
    expect(ask("old houses", [1], { doubted: 0.5 })!.share).toBe(0.5);
    expect(ask("old houses", [1], { nearest: 0.65 })!.share).toBeCloseTo(0.5, 6);
    const none = [
      ask("old houses", [1], { nearest: 0.71 }),
      ask("what is it", [1]),
      ask("旧房子", [1]),
      ask("", [1]),
    ];
    expect(none).toEqual([null, null, null, null]);
  });

  it("leaves code alone, whose names do not mean what their letters say", () => {
    const code =
      "fn parse(input: &str) -> Result<Token, Error> { let mut lexer = Lexer::new(input); lexer.next() }";
    expect(read("who opens the door", [code, `${code} ${code}`])).toBeNull();
  });

  it("reads no more than a bounded part of a huge passage, and passes over a unit that is gone", () => {
    const beginning = `the cat and the dog${" ".repeat(4000)}`;
    const huge = `${beginning}${"x".repeat(300_000)} ${"of invoices and charts ".repeat(50_000)}`;
    const { meanings: found } = read("kitten", [huge, beginning])!;
    expect(found.get(1)).toBe(found.get(2)!);
    expect(
      readUnits(reader, meanings, { text: "kitten", doubted: 1, nearest: 0.3 }, new Set([77])),
    ).toBeNull();
  });
});

describe("cosines with what was read", () => {
  it("stay as they are where nothing was read", () => {
    const cosines = new Map([[1, 0.3]]);
    expect(withReading(cosines, null)).toBe(cosines);
  });

  it("stand in the order of what was read, and before all that was not", () => {
    const cosines = new Map([
      [1, 0.5],
      [2, 0.4],
      [3, 0.3],
    ]);
    const reading = {
      share: 1,
      meanings: new Map([
        [1, 0.2],
        [2, 0.35],
      ]),
    };
    expect([...withReading(cosines, reading)]).toEqual([
      [1, 0.2],
      [2, 0.35],
      [3, 0.2],
    ]);
  });

  it("lie between the cosine and what was read, whatever they are", () => {
    const value = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(value, value, value, value, (share, cosine, meaning, other) => {
        const cosines = new Map([
          [1, cosine],
          [2, other],
        ]);
        const seen = withReading(cosines, { share, meanings: new Map([[1, meaning]]) });
        expect(seen.get(1)!).toBeGreaterThanOrEqual(Math.min(cosine, meaning) - 1e-9);
        expect(seen.get(1)!).toBeLessThanOrEqual(Math.max(cosine, meaning) + 1e-9);
        expect(seen.get(2)!).toBeLessThanOrEqual(other + 1e-9);
      }),
    );
  });
});

describe("search where the words are unsure", () => {
  const fixture = useSearch();
  const signal = new AbortController().signal;

  function fill() {
    const { add } = fixture.base();
    add({
      title: "Sensitive enamel",
      chunks: ["When necks of molars lie bare, cold drinks send a twinge to the nerve; pastes soothe it."],
    });
    add({ title: "Cold brew", chunks: ["Coarse grounds stand in cold water overnight and are strained."] });
    add({ title: "Charts", chunks: ["A bar chart compares, and a line shows the course of time."] });
    add({ title: "Build", chunks: ["What makes the build of the third release is written in the notes."] });
  }

  it("K9.6 search.explain says what was read, how much it counted, and what the lanes weighed", async () => {
    fill();
    const params = methodTable["search.explain"].params.parse({ query: "ice cream makes my tooth ache" });
    const { bases } = methodTable["search.explain"].result.parse(
      await fixture.search.explain(params, signal),
    );
    const { fusion, passages } = bases[0]!;
    expect(fusion).toMatchObject({
      kind: "convex",
      alpha: 0.25,
      weights: { words: 0, vectors: 1, latent: 0 },
    });
    expect(fusion.meaning).toBe(1);
    const read = passages.filter(({ lanes }) => lanes.meaning !== undefined);
    expect(read.length).toBe(passages.length);
    for (const { score, lanes } of read) expect(score).toBeCloseTo(lanes.meaning!, 9);
    expect(passages[0]!.conceptId).toBe("Sensitive enamel.md");
  });

  it("nothing is read where the words are sure", async () => {
    fill();
    const { hits } = await fixture.search.query(queryParams({ query: "bar chart", explain: true }), signal);
    expect(hits.map(({ lanes }) => lanes?.meaning)).toEqual(hits.map(() => undefined));
    expect(hits[0]!.title).toBe("Charts");
  });
});

describe("without the list of related words", () => {
  const service = createSearchService({ contentCacheBytes: 1 << 20, vectorCacheBytes: 1 << 24 });
  const folder = mkdtempSync(path.join(tmpdir(), "knowd-reading-"));
  afterAll(() => {
    service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("a search answers by words and vectors, and says so", async () => {
    const embedder = loadStaticModel(locations.embeddedModel);
    const index = buildIndex(path.join(folder, "index.sqlite"), { embed: (text) => embedder.embed(text) });
    index.add({
      id: "enamel",
      chunks: ["When necks of molars lie bare, cold drinks send a twinge to the nerve."],
    });
    index.add({ id: "chart", chunks: ["A bar chart compares, and a line shows the course of time."] });
    const relatedPath = path.join(folder, "related.bin");
    writeFileSync(relatedPath, "no list");
    const query: LaneQuery = {
      baseId: "base",
      indexPath: index.path,
      query: "ice cream makes my tooth ache",
      queryVector: null,
      model: { ...locations.embeddedModel, relatedPath },
      fusion: { kind: "convex", alpha: 0.3 },
      candidates: 10,
      filters: null,
    };
    const answer = (await service.run(
      "index.search",
      query,
      new AbortController().signal,
    )) as SearchTasks["index.search"]["output"];
    index.close();
    expect(answer.degraded).toMatch(/no passage was read for what it means .*related\.bin.*damaged/);
    expect(answer.candidates.map(({ materialId }) => materialId)).toContain("enamel");
  });
});
