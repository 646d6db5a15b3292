import { describe, expect, it } from "vitest";
import type { SearchResult } from "../../rpc/contract/search.ts";
import { closedUrl, openEndpoint, send } from "../embedding/endpoint.ts";
import { openTestReranker, sendScores } from "../rerank/reranking-endpoint.ts";
import { queryParams, useSearch } from "../support/search-fixture.ts";

const fixture = useSearch();
const words = { embeddingModelId: null, dimensions: null } as const;

function query(params: Parameters<typeof queryParams>[0]): Promise<SearchResult> {
  return fixture.search.query(queryParams(params), new AbortController().signal);
}

const titles = ({ hits }: SearchResult): string[] => hits.map((hit) => hit.title);
/** The number that stands in a text, as its relevance in hundredths. */
const byNumber = sendScores((text) => Number(/no (\d+)/.exec(text)?.[1] ?? 0) / 100);

/** A base of documents that words rank in the order of their letters: a first. */
function baseOf(numbers: readonly number[], over: object = {}) {
  const made = fixture.base({ ...words, rerankModelId: "r", ...over });
  numbers.forEach((number, at) => {
    const title = String.fromCharCode(97 + at);
    const repeated = "keys ".repeat(numbers.length - at);
    made.add({ title, chunks: [`${repeated} no ${number} ${"filler ".repeat(at)}`] });
  });
  return made;
}

describe("a base with a reranker", () => {
  it("K9.4 its full candidate set is reranked, then trimmed; the scores are relevance", async () => {
    const endpoint = await openEndpoint(byNumber);
    fixture.rerankers.set("r", openTestReranker(endpoint.url));
    baseOf([10, 20, 90, 30]);
    const result = await query({ query: "keys", topK: 2, explain: true });
    expect(titles(result)).toEqual(["c", "d"]);
    expect(result.degraded).toBeUndefined();
    expect(result.hits.map(({ score, scoreKind, rank }) => [score, scoreKind, rank])).toEqual([
      [0.9, "relevance", 1],
      [0.3, "relevance", 2],
    ]);
    expect(result.hits[0]?.lanes).toMatchObject({ bm25: 3, reranked: { score: 0.9, before: { rank: 3 } } });
    expect(endpoint.asked.map(({ texts }) => texts.length)).toEqual([4]);
    expect(endpoint.asked[0]?.texts[2]).toMatch(/^c\nkeys keys  no 90/);
    expect(endpoint.asked[0]?.body["query"]).toBe("keys");
  });

  it("K9.3 K9.4 its threshold cuts what was reranked and trimmed, and nothing takes its place", async () => {
    const endpoint = await openEndpoint(byNumber);
    fixture.rerankers.set("r", openTestReranker(endpoint.url));
    const { base } = baseOf([10, 60, 90, 30], { threshold: 0.5 });
    expect(titles(await query({ query: "keys", topK: 4 }))).toEqual(["c", "b"]);
    expect(endpoint.asked).toHaveLength(1);
    fixture.catalog.bases.update(base.id, { threshold: 1 });
    expect(titles(await query({ query: "keys", topK: 4 }))).toEqual([]);
  });

  it("K1.2 what is not shown is not sent", async () => {
    const endpoint = await openEndpoint(byNumber);
    fixture.rerankers.set("r", openTestReranker(endpoint.url));
    const { add } = baseOf([10, 20]);
    add({ title: "hidden", chunks: ["keys no 99"] }, { visible: false });
    expect(titles(await query({ query: "keys" }))).toEqual(["b", "a"]);
    expect(endpoint.asked.flatMap(({ texts }) => texts).join()).not.toContain("no 99");
  });

  it("what the reranker takes at once bounds a request: the pages that follow bring the rest, none twice", async () => {
    const endpoint = await openEndpoint(byNumber);
    fixture.rerankers.set("r", openTestReranker(endpoint.url, { maxDocuments: 2, maxCharacters: 100 }));
    baseOf([10, 20, 90, 30, 50]);
    const first = await query({ query: "keys", topK: 2 });
    const second = await query({ query: "keys", topK: 2, cursor: first.cursor });
    const third = await query({ query: "keys", topK: 2, cursor: second.cursor });
    expect([first, second, third].map(titles)).toEqual([["b", "a"], ["c", "d"], ["e"]]);
    expect(third.cursor).toBeUndefined();
    const sent = endpoint.asked.map(({ texts }) => texts.map((text) => text.charAt(0)).join(""));
    expect(sent).toEqual(["ab", "cd", "e"]);
    expect(Math.max(...endpoint.asked.flatMap(({ texts }) => texts.map((text) => text.length)))).toBeLessThan(
      101,
    );
  });

  it("K9.4 when its reranker fails, the order is the one before, and the result says why", async () => {
    baseOf([10, 20, 90]);
    const missing = await query({ query: "keys" });
    expect(titles(missing)).toEqual(["a", "b", "c"]);
    expect(missing.degraded).toBe("not reranked: the reranker r is not configured");
    fixture.rerankers.set("r", openTestReranker(await closedUrl()));
    const down = await query({ query: "keys" });
    expect(titles(down)).toEqual(["a", "b", "c"]);
    expect(down.degraded).toMatch(/^not reranked: r gave no scores \(.*nothing listens there/);
    expect(down.hits.map(({ scoreKind }) => scoreKind)).toEqual(["ranking", "ranking", "ranking"]);
    const garbage = await openEndpoint((asked) => send(asked, 200, { results: [] }));
    fixture.rerankers.set("r", openTestReranker(garbage.url));
    expect(titles(await query({ query: "keys" }))).toEqual(["a", "b", "c"]);
  });

  it("K9.4 K9.7 a silent reranker leaves the time for the answer without it", async () => {
    const endpoint = await openEndpoint(() => undefined);
    fixture.rerankers.set("r", openTestReranker(endpoint.url));
    baseOf([10, 20, 90]);
    const late = await query({ query: "keys", deadlineMs: 1000 });
    expect(titles(late)).toEqual(["a", "b", "c"]);
    expect(late.degraded).toContain("no answer within");
  });

  it("K9.7 each base is reranked by its own, and what comes of it is fused by rank", async () => {
    const endpoint = await openEndpoint(byNumber);
    const other = await openEndpoint(sendScores((text) => 1 - Number(/no (\d+)/.exec(text)?.[1]) / 100));
    fixture.rerankers.set("r", openTestReranker(endpoint.url));
    fixture.rerankers.set("other", openTestReranker(other.url));
    const one = baseOf([10, 90]).base;
    const two = baseOf([80, 70], { rerankModelId: "other" }).base;
    const three = baseOf([1, 2], { rerankModelId: null }).base;
    const { hits } = await query({ query: "keys", explain: true });
    expect([endpoint, other].map(({ asked }) => asked.map(({ texts }) => texts.length))).toEqual([[2], [2]]);
    const orderOf = ({ id }: { id: string }) =>
      hits.filter(({ baseId }) => baseId === id).map(({ title }) => title);
    expect([one, two, three].map(orderOf)).toEqual([
      ["b", "a"],
      ["b", "a"],
      ["a", "b"],
    ]);
    expect(new Set(hits.slice(0, 3).map(({ baseId }) => baseId)).size).toBe(3);
    expect(new Set(hits.map(({ scoreKind }) => scoreKind))).toEqual(new Set(["ranking"]));
    expect(hits.filter((hit) => hit.lanes?.reranked).length).toBe(4);
  });
});
