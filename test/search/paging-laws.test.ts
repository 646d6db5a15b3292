import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHeldLists, type ResultList } from "../../daemon/search/held-lists.ts";
import { fillListing } from "../../daemon/search/list-documents.ts";
import type { Entry } from "../../daemon/search/result-list.ts";
import type { Hit } from "../../rpc/contract/hits.ts";
import type { Item } from "../../rpc/contract/items.ts";
import type { SearchResult } from "../../rpc/contract/search.ts";
import { openEndpoint } from "../embedding/endpoint.ts";
import { openTestReranker, sendScores } from "../rerank/reranking-endpoint.ts";
import { baseInput } from "../support/catalog-fixture.ts";
import { pagesBy, queryParams, useSearch, type Query } from "../support/search-fixture.ts";

const fixture = useSearch();
const never = new AbortController().signal;
const words = { embeddingModelId: null, dimensions: null } as const;

function ask(params: Query, signal = never): Promise<SearchResult> {
  return fixture.search.query(queryParams(params), signal);
}

const pages = pagesBy(ask);

const hitsOf = (found: readonly SearchResult[]): Hit[] => found.flatMap(({ hits }) => hits);
const idsOf = (found: readonly SearchResult[]): string[] => hitsOf(found).map(({ itemId }) => itemId);
/** All passages that an answer names, as hits or beside one. */
const namedBy = (hits: readonly Hit[]): string[] =>
  hits.flatMap(({ unitId, duplicates = [], passages = [] }) => [
    unitId,
    ...duplicates.map((one) => one.unitId),
    ...passages.map((one) => one.unitId),
  ]);

function listOf(id: string, entries: number): ResultList {
  const entry: Entry = {
    unitId: "u",
    baseId: "b",
    score: 1,
    scoreKind: "ranking",
    bm25Rank: 1,
    vectorRank: null,
    latentRank: null,
    latentCosine: null,
    meaning: null,
    cosine: null,
  };
  return {
    id: id.padStart(36, "x"),
    entries: Array.from({ length: entries }, () => entry),
    depths: new Map(),
    shown: [],
    corrections: [],
    isFused: false,
    isUnquoted: false,
    mode: "bm25",
    degraded: new Set(),
  };
}

describe("pages", () => {
  const ways = fc.record({
    topK: fc.integer({ min: 1, max: 9 }),
    groupBy: fc.constantFrom(undefined, "document" as const),
    sort: fc.constantFrom("relevance" as const, "newest" as const, "oldest" as const),
    foldDuplicates: fc.boolean(),
    query: fc.constantFrom("keys", "keys path:.md", "path:.md"),
    /** What happens to which document between two pages. */
    events: fc.array(fc.tuple(fc.constantFrom("remove", "hide", "add"), fc.nat(23)), { maxLength: 6 }),
  });

  it("K1.2 name nothing twice, lose nothing that stays and show nothing that is hidden, whatever happens between them", async () => {
    await fc.assert(
      fc.asyncProperty(ways, async ({ events, groupBy, ...asked }) => {
        const bases = [fixture.base(words), fixture.base()];
        const baseIds = bases.map(({ base }) => base.id);
        const items: Item[] = [];
        for (let at = 0; at < 24; at++) {
          fixture.tick();
          const text = `keys of ${"house door lock ".repeat(at % 3)} ${"abcdefgh"[at % 8]}`;
          items.push(bases[at % 2]!.add({ chunks: at % 3 === 0 ? [text, `${text} again`] : [text] }));
        }
        /** By id, the page after which it was away. */
        const touched = new Map<string, number>();
        const params = { ...asked, baseIds, ...(groupBy && { groupBy }) };
        const found = await pages(params, (page) => {
          const [event, at] = events[page - 1] ?? [];
          const item = items[at ?? 0]!;
          if (event === "add") bases[at! % 2]!.add({ chunks: [`more keys ${at}`] });
          if (event !== "remove" && event !== "hide") return;
          touched.set(item.id, page);
          if (event === "remove") bases[items.indexOf(item) % 2]!.index.remove(item.id);
          else fixture.catalog.items.setMissing([item.id], 1);
        });
        const hits = hitsOf(found);
        expect(hits.map(({ rank }) => rank)).toEqual(hits.map((_, at) => at + 1));
        const named = namedBy(hits);
        expect(new Set(named).size).toBe(named.length);
        const afterwards = found.flatMap((result, page) =>
          result.hits.filter(({ itemId }) => page >= (touched.get(itemId) ?? Infinity)),
        );
        expect(afterwards).toEqual([]);
        const itemIds = hits.map(({ itemId }) => itemId);
        const repeated = itemIds.filter((id, at) => itemIds.indexOf(id) !== at);
        expect(groupBy ? repeated : []).toEqual([]);
        // A copy of what an earlier page has shown is named nowhere.
        const lost = items.filter(({ id }) => !touched.has(id) && !itemIds.includes(id));
        expect(asked.foldDuplicates ? [] : lost).toEqual([]);
        for (const { base } of bases) await fixture.search.closeBase(base.id);
      }),
      { numRuns: 8, seed: 7 },
    );
  });

  it("of documents go on behind the first that the host was asked for", async () => {
    const { add } = fixture.base(words);
    const items = Array.from({ length: 70 }, (_, at) => add({ chunks: [`keys number ${at}`] }));
    const found = idsOf(await pages({ query: "keys", topK: 10, groupBy: "document" }));
    expect(found.toSorted()).toEqual(items.map(({ id }) => id).toSorted());
  });

  it("that are asked for twice at a time repeat nothing", async () => {
    const { add } = fixture.base(words);
    for (let at = 0; at < 40; at++) add({ chunks: [`keys number ${at}`] });
    const first = await ask({ query: "keys", topK: 5 });
    let { cursor } = first;
    const found = [first];
    while (cursor !== undefined) {
      const next = { query: "keys", topK: 5, cursor };
      const [one, other] = await Promise.all([ask(next), ask(next)]);
      expect(idsOf([other])).toEqual(idsOf([one]));
      found.push(one);
      ({ cursor } = one);
    }
    expect(new Set(idsOf(found)).size).toBe(40);
    expect(idsOf(found)).toHaveLength(40);
  });

  it("K9.7 that were given up are there when they are asked for again", async () => {
    const { add } = fixture.base(words);
    for (let at = 0; at < 20; at++) add({ chunks: [`keys number ${at}`] });
    const found: SearchResult[] = [await ask({ query: "keys", topK: 2 })];
    for (let cursor = found[0]?.cursor; cursor !== undefined; cursor = found.at(-1)?.cursor) {
      const next = { query: "keys", topK: 2, cursor };
      await expect(ask(next, AbortSignal.abort())).rejects.toMatchObject({ errorName: "CANCELLED" });
      found.push(await ask(next));
    }
    expect(new Set(idsOf(found)).size).toBe(20);
  });

  it("K9.4 bring all that a reranker takes one by one, and what a threshold may not cut among several bases", async () => {
    const endpoint = await openEndpoint(sendScores(() => 0.1));
    fixture.rerankers.set("r", openTestReranker(endpoint.url, { maxDocuments: 1 }));
    const { add, base } = fixture.base({ ...words, rerankModelId: "r" });
    for (let at = 0; at < 9; at++) add({ chunks: [`keys number ${at}`] });
    const alone = hitsOf(await pages({ query: "keys", topK: 1 }));
    expect(new Set(alone.map(({ itemId }) => itemId)).size).toBe(9);
    const other = fixture.base(words);
    other.add({ chunks: ["keys elsewhere"] });
    fixture.catalog.bases.update(base.id, { threshold: 0.5 });
    const both = hitsOf(await pages({ query: "keys", topK: 1 }));
    expect(new Set(both.map(({ itemId }) => itemId)).size).toBe(10);
    // Fused by rank, also where only one base goes on.
    expect(Math.max(...both.map(({ score }) => score))).toBeLessThan(0.1);
  });
});

describe("a cursor", () => {
  it("leads through the longest list, and all lists together are bounded", () => {
    const lists = createHeldLists();
    const params = queryParams({ query: "keys" });
    const long = listOf("long", 100_000);
    const cursor = lists.hold(long, params, { passed: 99_000, shown: 0 });
    expect(lists.resume(cursor, params).from.passed).toBe(99_000);
    const second = lists.hold(listOf("second", 60_000), params, { passed: 1, shown: 0 });
    expect(() => lists.resume(cursor, params)).toThrow(
      expect.objectContaining({ errorName: "CURSOR_EXPIRED" }),
    );
    expect(lists.resume(second, params).list.id).toContain("second");
    const huge = lists.hold(listOf("huge", 200_000), params, { passed: 1, shown: 0 });
    expect(lists.resume(huge, params).list.id).toContain("huge");
  });
});

describe("filters alone", () => {
  it("K10.3 list the documents of the bases that answer, with a warning of those that do not", async () => {
    fixture.base(words).add({ chunks: ["keys"], path: "a.md" });
    fixture.catalog.bases.create(baseInput({ ...words, name: "broken" }));
    const { hits, warnings } = await ask({ query: "path:.md" });
    expect(hits).toHaveLength(1);
    expect(warnings.join()).toContain('"broken" could not be searched');
  });

  it("say so when there are more documents than they list", () => {
    const list = listOf("list", 0);
    expect(fillListing(list, "relevance", [{ entries: [], isCut: false }])).toEqual([]);
    expect(fillListing(list, "relevance", [{ entries: [], isCut: true }]).join()).toContain("1000 newest");
  });
});
