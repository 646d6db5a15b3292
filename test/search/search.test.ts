import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Params } from "../../rpc/contract/index.ts";
import { methodTable } from "../../rpc/contract/index.ts";
import type { SearchResult } from "../../rpc/contract/search.ts";
import { buildIndex } from "../support/build-index.ts";
import { queryParams, useSearch } from "../support/search-fixture.ts";

const fixture = useSearch();
const signal = new AbortController().signal;

function query(params: Partial<Params<"search.query">> & { query: string }): Promise<SearchResult> {
  return fixture.search.query(queryParams(params), signal);
}

async function titles(text: string, over: Partial<Params<"search.query">> = {}): Promise<string[]> {
  return (await query({ query: text, ...over })).hits.map((hit) => hit.title);
}

describe("search.query", () => {
  it("K9.6 a hit says what was found, where it stands and what matched", async () => {
    const { base, add } = fixture.base();
    const item = add(
      {
        title: "Keys",
        path: "docs/keys.md",
        chunks: [
          { text: "Nothing of interest." },
          {
            text: "Rotate the keys every month.",
            headings: ["Keys", "Rotation"],
            locator: { lineStart: 3, lineEnd: 4 },
          },
        ],
      },
      { path: "/home/me/docs/keys.md" },
    );
    const result = await query({ query: "rotating keys", explain: true });
    expect(methodTable["search.query"].result.parse(result)).toEqual(result);
    expect(result.mode).toBe("hybrid");
    expect(result.hits[0]).toMatchObject({
      text: "Rotate the keys every month.",
      scoreKind: "ranking",
      rank: 1,
      baseId: base.id,
      itemId: item.id,
      conceptId: "docs/keys.md",
      path: "/home/me/docs/keys.md",
      title: "Keys",
      headings: ["Keys", "Rotation"],
      locator: { lineStart: 3, lineEnd: 4 },
      charStart: 22,
      charEnd: 50,
      source: "/home/me/docs/keys.md",
      highlights: [
        [0, 6],
        [11, 15],
      ],
      untrusted: true,
      lanes: { bm25: 1, vector: 1 },
    });
  });

  it("K9.1 a base without a model is searched by words, and no embedding call is made", async () => {
    const { add } = fixture.base({ embeddingModelId: null, dimensions: null });
    add({ title: "Keys", chunks: ["Rotate the keys."] });
    fixture.models.clear();
    const result = await query({ query: "keys" });
    expect(result).toMatchObject({ mode: "bm25", warnings: [] });
    expect(result.degraded).toBeUndefined();
    expect(result.hits[0]?.score).toBeGreaterThan(0);
  });

  it("K9.3 ranking scores are never cut by the base's threshold", async () => {
    const { add } = fixture.base({ threshold: 1 });
    add({ title: "Keys", chunks: ["Rotate the keys."] });
    expect(await titles("keys")).toEqual(["Keys"]);
  });

  it("K9.4 K1.2 what the catalogue does not show is dropped before the list is trimmed", async () => {
    const { add } = fixture.base();
    for (let at = 0; at < 8; at++)
      add({ title: `hidden ${at}`, chunks: ["keys keys keys"] }, { visible: false });
    add({ title: "shown", chunks: ["a long text in which the keys are named among much else"] });
    expect(await titles("keys", { topK: 2 })).toEqual(["shown"]);
  });

  it("K9.4 K1.2 however much is hidden, what is shown is found", async () => {
    const { add } = fixture.base();
    for (let at = 0; at < 30; at++)
      add({ title: `hidden ${at}`, chunks: ["keys keys keys"] }, { visible: false });
    add({ title: "shown", chunks: ["a long text in which the keys are named among much else"] });
    expect(await titles("keys", { topK: 2 })).toEqual(["shown"]);
    expect(await titles("keys", { topK: 2, groupBy: "document" })).toEqual(["shown"]);
  });

  it("K9.4 rejects an empty query, an unknown base and a failed one", async () => {
    const { base } = fixture.base();
    const failed = fixture.base();
    fixture.catalog.bases.update(failed.base.id, {
      status: "failed",
      error: "missing_embedding_model",
      embeddingModelId: null,
      dimensions: null,
    });
    await expect(query({ query: " ?! " })).rejects.toMatchObject({ errorName: "QUERY_EMPTY" });
    const unknown = query({ query: "keys", baseIds: ["3f0f7f4e-7d3b-4b43-9d7e-6e8f6f6e2a10"] });
    await expect(unknown).rejects.toMatchObject({ errorName: "BASE_NOT_FOUND" });
    const rejected = query({ query: "keys", baseIds: [failed.base.id] });
    await expect(rejected).rejects.toMatchObject({ errorName: "BASE_FAILED" });
    const both = await query({ query: "keys", baseIds: [failed.base.id, base.id] });
    expect(both.warnings).toEqual([expect.stringContaining("missing_embedding_model")]);
  });

  it("K9.2 answers topK, else the base's documentCount, else ten, ranked from one", async () => {
    const { base, add } = fixture.base();
    for (let at = 0; at < 14; at++) add({ title: `keys ${at}`, chunks: [`keys number ${at}`] });
    const ranks = async (over: Partial<Params<"search.query">>) =>
      (await query({ query: "keys", ...over })).hits.map((hit) => hit.rank);
    expect(await ranks({ topK: 3 })).toEqual([1, 2, 3]);
    expect(await ranks({})).toHaveLength(10);
    fixture.catalog.bases.update(base.id, { documentCount: 12 });
    expect(await ranks({})).toHaveLength(12);
  });

  it("K9.2 the same query gives the same order", async () => {
    const { add } = fixture.base();
    for (let at = 0; at < 12; at++)
      add({ title: "same", path: `same${at}.md`, chunks: ["the same text on keys"] });
    const ids = async () => (await query({ query: "keys" })).hits.map((hit) => hit.unitId);
    const first = await ids();
    expect(first).toEqual(first.toSorted());
    expect(await ids()).toEqual(first);
  });

  it.each([
    ["认证", "用户认证的方法"],
    ["月", "今天是正月。"],
    ["令牌登录", "使用令牌登录系统"],
    ["如何使用令牌登录？", "请用令牌登录后再操作"],
    ["日本で梅雨がないのはどこですか", "北海道には梅雨がない。"],
    ["how do I rotate the keys", "Keys are rotated with one command."],
    ["what is it that they do about the keys", "The keys."],
    ["C#", "A guide to C# records"],
    ["package-lock.json", "Commit package-lock.json."],
  ])("K9.5 %s finds its text although filler matches nothing", async (text, chunk) => {
    const { add } = fixture.base({ embeddingModelId: null, dimensions: null });
    add({ title: "other", chunks: ["Entirely other things, 完全不同的内容"] });
    add({ title: "wanted", chunks: [chunk] });
    expect((await titles(text))[0]).toBe("wanted");
  });

  it("K9.5 a chunk of other scripts, whose vector is zero, is not near anything", async () => {
    const { add } = fixture.base();
    add({ title: "chinese", chunks: ["用户认证的方法"] });
    add({ title: "english", chunks: ["user authentication"] });
    expect(await titles("password")).not.toContain("chinese");
  });

  it("K9.7 several bases are fused by rank, and one that can't be read is a warning", async () => {
    const first = fixture.base();
    const second = fixture.base({ embeddingModelId: null, dimensions: null });
    const broken = fixture.base({ embeddingModelId: null, dimensions: null });
    first.add({ title: "one", chunks: ["rotate keys", "keys and more keys"] });
    second.add({ title: "two", chunks: ["rotate keys"] });
    broken.index.close();
    rmSync(fixture.indexPath(broken.base.id));
    const result = await query({ query: "rotate keys" });
    expect(
      result.hits
        .slice(0, 2)
        .map((hit) => hit.title)
        .sort(),
    ).toEqual(["one", "two"]);
    expect(result.hits.every((hit) => hit.scoreKind === "ranking" && hit.score < 0.05)).toBe(true);
    expect(result.warnings).toEqual([expect.stringContaining(broken.base.name)]);
    const alone = query({ query: "keys", baseIds: [broken.base.id] });
    await expect(alone).rejects.toMatchObject({ errorName: "BASE_UNAVAILABLE" });
  });

  it("K9.7 filters by path, type and item before it ranks", async () => {
    const { add } = fixture.base();
    for (let at = 0; at < 60; at++) add({ title: `loud ${at}`, chunks: ["keys keys keys keys"] });
    const quiet = add({
      title: "quiet",
      path: "deep/down/quiet.txt",
      format: "text",
      chunks: ["the keys among much other text"],
    });
    for (const filters of [
      { path: "deep/**" },
      { path: "*.txt" },
      { types: ["text"] },
      { itemIds: [quiet.id] },
    ]) {
      expect(await titles("keys", { filters })).toEqual(["quiet"]);
    }
    expect(await titles("keys", { filters: { path: "nowhere/*" } })).toEqual([]);
  });

  it("groups by document", async () => {
    const { add } = fixture.base();
    add({ title: "many", chunks: ["keys", "keys and keys", "more keys"] });
    add({ title: "one", chunks: ["some text with keys in it"] });
    expect((await titles("keys", { groupBy: "document" })).sort()).toEqual(["many", "one"]);
  });

  it("K9.7 ends at its deadline, and when it is cancelled", async () => {
    const { add } = fixture.base();
    add({ title: "quiet", chunks: ["keys"] });
    await query({ query: "keys" });
    const { pid } = fixture.host.stats();
    process.kill(pid!, "SIGSTOP");
    await expect(query({ query: "keys", deadlineMs: 200 })).rejects.toMatchObject({ errorName: "DEADLINE" });
    process.kill(pid!, "SIGCONT");
    expect(await titles("keys")).toEqual(["quiet"]);
    const abort = new AbortController();
    const cancelled = fixture.search.query(queryParams({ query: "keys" }), abort.signal);
    abort.abort();
    await expect(cancelled).rejects.toMatchObject({ errorName: "CANCELLED" });
  });

  it("says when a base is being rebuilt and when a source can't be read", async () => {
    const { base, add } = fixture.base();
    const folder = add({ title: "folder", chunks: ["keys"] });
    fixture.states.set(base.id, "rebuilding");
    const source = fixture.catalog.sources.create({
      baseId: base.id,
      itemId: folder.id,
      path: "/mnt/gone",
      include: [],
      exclude: [],
      useIgnoreFiles: true,
      hidden: false,
      maxFileBytes: 1,
      copy: false,
    });
    fixture.catalog.sources.setState(source.id, "unavailable", "not mounted");
    const { warnings } = await query({ query: "keys", baseIds: [base.id] });
    expect(warnings).toEqual([
      expect.stringContaining("being rebuilt"),
      expect.stringContaining("/mnt/gone"),
    ]);
  });

  it("asks for parts of identifiers only where code was indexed", async () => {
    const { add } = fixture.base({ embeddingModelId: null, dimensions: null });
    add({ title: "prose", chunks: ["Type a script."] });
    expect(await titles("TypeScript")).toEqual([]);
    add({ title: "code", format: "code", chunks: ["class TypeScript {}"] });
    expect(await titles("TypeScript")).toEqual(["code", "prose"]);
  });

  it("answers from a new index after the old one was replaced", async () => {
    const { base, add, index } = fixture.base();
    const item = add({ title: "item", chunks: ["keys"] });
    const texts = async () => (await query({ query: "keys" })).hits.map((hit) => hit.text);
    expect(await texts()).toEqual(["keys"]);
    await fixture.search.closeBase(base.id);
    index.close();
    const indexPath = fixture.indexPath(base.id);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(indexPath + suffix, { force: true });
    const other = buildIndex(indexPath, { baseId: base.id });
    other.add({ id: item.id, path: item.conceptId, chunks: ["new keys"] });
    expect(await texts()).toEqual(["new keys"]);
    other.close();
  });
});
