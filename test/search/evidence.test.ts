import path from "node:path";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDocumentRuns, type Run } from "../../workers/search/document-runs.ts";
import { withEvidence, type Evidence } from "../../workers/search/ranking/evidence.ts";
import { openIndexReader } from "../../workers/search/index-reader.ts";
import { createReaders } from "../../workers/search/readers.ts";
import { searchIndex } from "../../workers/search/search-index.ts";
import { createTokenizer } from "../../workers/search/tokenizer.ts";
import { buildIndex, type TestIndex } from "../support/build-index.ts";
import { temporaryFolder } from "../support/temporary.ts";

function newIndex(): TestIndex {
  const index = buildIndex(path.join(temporaryFolder(), "index.sqlite"));
  onTestFinished(() => index.close());
  return index;
}

/** By words alone: how titles and texts of the hits stand, best first. */
function searcher(index: TestIndex) {
  const readers = createReaders({ vectorCacheBytes: 1 << 20 });
  const tokenizer = createTokenizer();
  onTestFinished(() => {
    readers.closeAll();
    tokenizer.close();
  });
  const target = { baseId: "base", indexPath: index.path };
  return (
    query: string,
    over: { candidates?: number; perDocument?: boolean; materialIds?: string[] } = {},
  ) => {
    const { candidates = 50, perDocument = false, materialIds = null } = over;
    const filters = materialIds && { materialIds };
    const fusion = { kind: "rrf" } as const;
    const lane = {
      ...target,
      query,
      queryVector: null,
      model: null,
      fusion,
      candidates,
      perDocument,
      filters,
    };
    return searchIndex(readers.get(target), tokenizer, lane).candidates;
  };
}

const filler = "The text goes on about other things for a while and says nothing that matters here.";

function addFiller(index: TestIndex, count: number): void {
  for (let at = 0; at < count; at++) index.add({ id: `filler${at}`, chunks: [`${filler} ${at}`] });
}

describe("the words of a whole document", () => {
  it("a document whose chunks together have all keywords comes before one that says a single word of them often", () => {
    const index = newIndex();
    addFiller(index, 40);
    index.add({ id: "one", chunks: [`quaternion quaternion quaternion ${filler}`, `quaternion ${filler}`] });
    index.add({ id: "all", chunks: [`quaternion ${filler}`, `sextant ${filler}`, `isthmus ${filler}`] });
    const search = searcher(index);
    expect(search("quaternion sextant isthmus")[0]?.materialId).toBe("all");
    expect(search("quaternion")[0]?.materialId).toBe("one");
  });

  it("words in their order with small ones left out find the text they were taken from first", () => {
    const index = newIndex();
    addFiller(index, 40);
    index.add({
      id: "quoted",
      chunks: [`${filler.repeat(6)} A server in a restaurant takes an order from the many.`],
    });
    index.add({
      id: "apart",
      chunks: [
        `server restaurant ${filler} restaurant ${filler} takes ${filler} order ${filler} from ${filler} many many`,
      ],
    });
    const [first] = searcher(index)("server restaurant takes order from many");
    expect(first?.materialId).toBe("quoted");
  });

  it("perDocument answers with the best chunk of each, and with as many documents as there are", () => {
    const index = newIndex();
    index.add({ id: "long", chunks: Array.from({ length: 60 }, (_, at) => `beacon number ${at}`) });
    for (const id of ["a", "b", "c"]) index.add({ id, chunks: [`beacon ${filler}`, `${filler} beacon`] });
    const search = searcher(index);
    const found = search("beacon", { candidates: 10, perDocument: true }).map((hit) => hit.materialId);
    expect(found.toSorted()).toEqual(["a", "b", "c", "long"]);
    expect(search("beacon", { candidates: 2, perDocument: true })).toHaveLength(2);
    expect(search("beacon", { candidates: 10 })).toHaveLength(10);
  });

  it("keeps to the materials that are asked for", () => {
    const index = newIndex();
    addFiller(index, 5);
    for (const id of ["a", "b"]) index.add({ id, chunks: ["beacon one", "lantern two"] });
    const found = searcher(index)("beacon lantern", { materialIds: ["b"] });
    expect(new Set(found.map((hit) => hit.materialId))).toEqual(new Set(["b"]));
  });
});

/** Documents of `length` units each, numbered from 1. */
function evidenceOf(length: number, over: Partial<Evidence>): Evidence {
  const runOf = (number: number): Run => {
    const start = number - ((number - 1) % length);
    return { start, end: start + length };
  };
  return { terms: [], close: [], meansAll: false, units: 100, averageLength: length, runOf, ...over };
}

const hits = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 100 }), fc.double({ min: 0.01, max: 20, noNaN: true })), {
    selector: ([number]) => number,
    maxLength: 40,
  })
  .map((all) => all.map(([number, score]) => ({ number, score })));
const numbers = fc
  .uniqueArray(fc.integer({ min: 1, max: 100 }), { maxLength: 60 })
  .map((all) => all.toSorted((a, b) => a - b));
const terms = fc.array(fc.record({ numbers, times: fc.integer({ min: 1, max: 3 }) }), { maxLength: 5 });

describe("what a document adds", () => {
  it("is nothing where each document is one unit", () => {
    fc.assert(
      fc.property(hits, terms, (all, found) => {
        const ranked = withEvidence(all, evidenceOf(1, { terms: found }));
        for (const { own, score } of ranked) expect(score).toBeCloseTo(own);
      }),
    );
  });

  it("goes to one unit of a document at most, loses none, and sorts them", () => {
    fc.assert(
      fc.property(hits, terms, numbers, fc.boolean(), (all, found, close, meansAll) => {
        const ranked = withEvidence(all, evidenceOf(4, { terms: found, close, meansAll }));
        expect(ranked).toHaveLength(all.length);
        expect(new Set(ranked.map(({ number }) => number))).toEqual(new Set(all.map(({ number }) => number)));
        expect(ranked.every(({ score }) => Number.isFinite(score))).toBe(true);
        for (const [at, { score }] of ranked.entries())
          expect(score).toBeLessThanOrEqual(ranked[at - 1]?.score ?? Infinity);
        const raised = ranked
          .filter(({ score, own }) => score !== own)
          .map(({ number }) => (number - 1) >> 2);
        expect(new Set(raised).size).toBe(raised.length);
      }),
    );
  });

  it("is nothing for a document that is not known yet", () => {
    const found = [
      { numbers: [1, 2], times: 1 },
      { numbers: [3], times: 1 },
    ];
    const unknown = evidenceOf(4, { terms: found, meansAll: true, runOf: () => null });
    expect(withEvidence([{ number: 1, score: 5 }], unknown)).toEqual([{ number: 1, score: 5, own: 5 }]);
  });
});

describe("which units make up a document", () => {
  function runsOf(index: TestIndex) {
    const reader = openIndexReader("base", index.path);
    onTestFinished(() => reader.close());
    return createDocumentRuns(reader);
  }

  it("follows the index: new documents are known, and a unit of none is not", () => {
    const index = newIndex();
    index.add({ id: "a", chunks: ["1", "2", "3"] });
    index.add({ id: "b", chunks: ["4"] });
    const runs = runsOf(index);
    expect(runs.runOf(1)).toBeNull();
    runs.refresh(1000);
    expect([1, 3, 4, 5].map((number) => runs.runOf(number))).toEqual([
      { start: 1, end: 4 },
      { start: 1, end: 4 },
      { start: 4, end: 5 },
      null,
    ]);
    index.remove("b");
    index.add({ id: "b", chunks: ["5", "6"] });
    runs.refresh(1000);
    expect(runs.runOf(6)).toEqual({ start: 5, end: 7 });
    runs.forget();
    expect(runs.runOf(6)).toBeNull();
  });

  it("loads in the background what a search had no time for", async () => {
    const index = newIndex();
    for (let at = 0; at < 600; at++) index.add({ id: `m${at}`, chunks: ["one", "two"] });
    const runs = runsOf(index);
    runs.refresh(0);
    expect(runs.runOf(1200)).toBeNull();
    await runs.loadAll();
    expect(runs.runOf(1200)).toEqual({ start: 1199, end: 1201 });
  });
});
