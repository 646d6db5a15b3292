import { describe, expect, it } from "vitest";
import { EmbeddingFailure, type EmbeddingModel } from "../../daemon/embedding/provider.ts";
import type { Params } from "../../rpc/contract/index.ts";
import type { SearchResult } from "../../rpc/contract/search.ts";
import { queryParams, remoteModel, useSearch } from "../support/search-fixture.ts";

const fixture = useSearch();

function query(params: Partial<Params<"search.query">> & { query: string }): Promise<SearchResult> {
  return fixture.search.query(queryParams(params), new AbortController().signal);
}

describe("a query of a remote model", () => {
  it("K9.1 K9.2 a remote model's query vector finds what words don't, fused by rank", async () => {
    fixture.models.set("remote", remoteModel());
    const { add } = fixture.base({ embeddingModelId: "remote", dimensions: 2 });
    add({ title: "Secret", chunks: [{ text: "Turn the lock.", vector: [1, 1] }] });
    add({ title: "Rain", chunks: [{ text: "It rains.", vector: [-1, -0.5] }] });
    const result = await query({ query: "keys", explain: true });
    expect(result.mode).toBe("hybrid");
    expect(result.hits.map((hit) => [hit.title, hit.lanes])).toEqual([["Secret", { vector: 1, cosine: 1 }]]);
    expect(result.hits[0]?.score).toBeCloseTo(1 / 61);
  });

  it("K9.1 when the query can't be embedded words answer alone, and the result says so", async () => {
    const down = () => Promise.reject(new EmbeddingFailure("transient", "connection refused"));
    fixture.models.set("remote", remoteModel({ embed: down }));
    const { add } = fixture.base({ embeddingModelId: "remote", dimensions: 2 });
    add({ title: "Keys", chunks: [{ text: "Rotate the keys.", vector: [1, 1] }] });
    const result = await query({ query: "keys" });
    expect(result.mode).toBe("bm25");
    expect(result.degraded).toContain("connection refused");
    expect(result.hits.map((hit) => hit.title)).toEqual(["Keys"]);
  });

  it("K9.1 a model that does not answer in time, or gives other vectors than the base has, leaves the words", async () => {
    const silent: EmbeddingModel["embed"] = (_texts, _purpose, abort) =>
      new Promise((_, reject) => abort?.addEventListener("abort", () => reject(abort.reason)));
    fixture.models.set("remote", remoteModel({ embed: silent }));
    const { add } = fixture.base({ embeddingModelId: "remote", dimensions: 2 });
    add({ title: "Keys", chunks: [{ text: "Rotate the keys.", vector: [1, 1] }] });
    const late = await query({ query: "keys", deadlineMs: 2000 });
    expect(late).toMatchObject({ mode: "bm25", degraded: expect.stringContaining("no answer within") });
    expect(late.hits.map((hit) => hit.title)).toEqual(["Keys"]);
    const wide: EmbeddingModel["embed"] = () => Promise.resolve([Float32Array.of(1, 1, 1)]);
    fixture.models.set("wide", remoteModel({ id: "wide", embed: wide }));
    const { base } = fixture.base({ embeddingModelId: "wide", dimensions: 2 });
    const other = await query({ query: "keys", baseIds: [base.id] });
    expect(other).toMatchObject({ mode: "bm25", degraded: expect.stringContaining("vectors of 3 numbers") });
  });
});
