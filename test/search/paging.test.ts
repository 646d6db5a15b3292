import { describe, expect, it } from "vitest";
import { createHeldLists } from "../../daemon/search/held-lists.ts";
import { methodTable } from "../../rpc/contract/index.ts";
import type { SearchResult } from "../../rpc/contract/search.ts";
import { pagesBy, queryParams, useSearch, type Query } from "../support/search-fixture.ts";

const fixture = useSearch();
const signal = new AbortController().signal;
const words = { embeddingModelId: null, dimensions: null } as const;

async function ask(params: Query): Promise<SearchResult> {
  const result = await fixture.search.query(queryParams(params), signal);
  return methodTable["search.query"].result.parse(result);
}

const pages = pagesBy(ask);

const titlesOf = (found: readonly SearchResult[]): string[] =>
  found.flatMap(({ hits }) => hits.map(({ title }) => title));

describe("paging", () => {
  it("shows every match once, ranked from one, beyond what a first search looks at", async () => {
    const { add } = fixture.base(words);
    const all = Array.from({ length: 260 }, (_, at) => `note ${at}`);
    for (const title of all)
      add({ title, chunks: [`keys ${"of many words ".repeat(Number(title.slice(5)))} ${title}`] });
    const found = await pages({ query: "keys", topK: 20 });
    expect(titlesOf(found).toSorted()).toEqual(all.toSorted());
    expect(found.flatMap(({ hits }) => hits.map(({ rank }) => rank))).toEqual(all.map((_, at) => at + 1));
    const scores = found.flatMap(({ hits }) => hits.map(({ score }) => score));
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });

  it("K9.7 goes through several bases in one order", async () => {
    const first = fixture.base(words);
    const second = fixture.base();
    for (let at = 0; at < 9; at++) {
      first.add({ title: `a${at}`, chunks: [`keys in a ${"word ".repeat(at)} ${at}`] });
      second.add({ title: `b${at}`, chunks: [`keys in b ${"word ".repeat(at)} ${at}`] });
    }
    const found = titlesOf(await pages({ query: "keys", topK: 4 }));
    expect(found).toHaveLength(18);
    expect(new Set(found).size).toBe(18);
  });

  it("keeps its order while documents come and go: what is new comes last, what is gone is passed over", async () => {
    const { add, index } = fixture.base(words);
    const items = Array.from({ length: 30 }, (_, at) =>
      add({ title: `note ${at}`, chunks: [`keys ${"word ".repeat(at)} ${at}`] }),
    );
    const before = titlesOf(await pages({ query: "keys", topK: 5 }));
    const after = titlesOf(
      await pages({ query: "keys", topK: 5 }, (page) => {
        add({ title: `newer ${page}`, chunks: ["keys keys keys"] });
        if (page === 1) index.remove(items[12]!.id);
        if (page === 2) fixture.catalog.items.setMissing([items[20]!.id], 1);
      }),
    );
    const old = before.filter((title) => title !== "note 12" && title !== "note 20");
    expect(after.slice(0, 20)).toEqual(old.slice(0, 20));
    expect(after.filter((title) => title.startsWith("note"))).toEqual(old);
    expect(new Set(after).size).toBe(after.length);
  });

  it("answers the same page again for the same cursor", async () => {
    const { add } = fixture.base(words);
    for (let at = 0; at < 30; at++)
      add({ title: `note ${at}`, chunks: [`keys ${"word ".repeat(at)} ${at}`] });
    const first = await ask({ query: "keys", topK: 5 });
    const next = { query: "keys", topK: 5, cursor: first.cursor! };
    const [second, third] = [await ask(next), await ask({ ...next, topK: 10 })];
    expect((await ask(next)).hits).toEqual(second.hits);
    expect(third.hits.slice(0, 5)).toEqual(second.hits);
  });

  it("ends without a cursor", async () => {
    const { add } = fixture.base(words);
    for (let at = 0; at < 10; at++) add({ title: `note ${at}`, chunks: ["keys"] });
    expect((await ask({ query: "keys", foldDuplicates: false })).cursor).toBeUndefined();
    expect((await ask({ query: "keys", topK: 9, foldDuplicates: false })).cursor).toBeDefined();
  });

  it("refuses what is no cursor, one of another search and one whose list is gone", async () => {
    const { add } = fixture.base(words);
    for (let at = 0; at < 30; at++) add({ title: `note ${at}`, chunks: [`keys number ${at}`] });
    const { cursor = "" } = await ask({ query: "keys", topK: 5 });
    for (const wrong of ["", "x", `${cursor}0000`, cursor.replace(/\d+$/, "9999")])
      await expect(ask({ query: "keys", cursor: wrong })).rejects.toMatchObject({
        errorName: "CURSOR_INVALID",
      });
    const other = ask({ query: "locks", cursor });
    await expect(other).rejects.toMatchObject({ errorName: "CURSOR_INVALID" });
    const gone = ask({ query: "keys", cursor: `${"A".repeat(36)}-1-1` });
    await expect(gone).rejects.toMatchObject({ errorName: "CURSOR_EXPIRED" });
  });

  it("holds a bounded number of lists, and none that nobody has read for ten minutes", () => {
    let now = 0;
    const lists = createHeldLists(() => now);
    const params = queryParams({ query: "keys" });
    const list = (id: string) => ({
      id: id.padStart(36, "x"),
      entries: [],
      depths: new Map(),
      shown: [],
      corrections: [],
      isFused: false,
      isUnquoted: false,
      mode: "bm25" as const,
      degraded: new Set<string>(),
    });
    const cursors = Array.from({ length: 65 }, (_, at) =>
      lists.hold(list(String(at)), params, { passed: 0, shown: 0 }),
    );
    expect(() => lists.resume(cursors[0]!, params)).toThrow(
      expect.objectContaining({ errorName: "CURSOR_EXPIRED" }),
    );
    expect(lists.resume(cursors[1]!, params).list.id).toMatch(/1$/);
    now = 601_000;
    expect(() => lists.resume(cursors[1]!, params)).toThrow(
      expect.objectContaining({ errorName: "CURSOR_EXPIRED" }),
    );
  });
});

const copied =
  "Rotate the keys, and keep the old ones for a month, in case that somebody needs them once more.";

describe("near duplicates among hits", () => {
  it("are one hit that names the others, and leave room for what differs", async () => {
    const { add } = fixture.base(words);
    const copies = Array.from({ length: 12 }, (_, at) =>
      add({
        title: `copy ${at}`,
        path: `${at}/keys.md`,
        chunks: [copied],
      }),
    );
    add({
      title: "other",
      chunks: ["Where the keys hang, and who may take them home over night or longer."],
    });
    const { hits } = await ask({ query: "keys", topK: 2 });
    expect(hits.map(({ title }) => title)).toEqual([expect.stringMatching(/^copy/), "other"]);
    const named = [hits[0]!.itemId, ...hits[0]!.duplicates!.map(({ itemId }) => itemId)];
    expect(named.toSorted()).toEqual(copies.map(({ id }) => id).toSorted());
  });

  it("stay hits of their own when they are not to be folded", async () => {
    const { add } = fixture.base(words);
    for (let at = 0; at < 3; at++) add({ title: `copy ${at}`, chunks: ["Rotate the keys."] });
    const { hits } = await ask({ query: "keys", foldDuplicates: false });
    expect(hits.map(({ duplicates }) => duplicates)).toEqual([undefined, undefined, undefined]);
  });

  it("are not shown again on a later page", async () => {
    const { add } = fixture.base(words);
    for (let at = 0; at < 20; at++) {
      add({ title: `copy ${at}`, chunks: [copied] });
      add({ title: `note ${at}`, chunks: [`The keys ${"of a house ".repeat(at + 3)} of number ${at}`] });
    }
    const found = titlesOf(await pages({ query: "keys", topK: 3 }));
    expect(found.filter((title) => title.startsWith("copy"))).toHaveLength(1);
    expect(found).toHaveLength(21);
  });
});

describe("hits of documents", () => {
  it("bring the document's next best passages, on every page", async () => {
    const { add } = fixture.base(words);
    for (let at = 0; at < 6; at++) {
      const chunks = [
        `keys ${at} keys`,
        "nothing",
        `the keys, once more, ${"word ".repeat(at)} ${at}`,
        `a key of ${at}`,
      ];
      add({ title: `note ${at}`, chunks });
    }
    const found = await pages({ query: "keys", groupBy: "document", topK: 2, passages: 2 });
    const hits = found.flatMap((page) => page.hits);
    expect(hits).toHaveLength(6);
    for (const hit of hits) {
      expect(hit.passages).toHaveLength(1);
      expect(hit.passages![0]).toMatchObject({ title: hit.title, text: expect.stringContaining("key") });
      expect(hit.passages![0]!.unitId).not.toBe(hit.unitId);
      expect(hit.passages![0]!.highlights.length).toBeGreaterThan(0);
    }
  });
});

describe("hits by time", () => {
  it("are the matches, newest or oldest first, without what hardly matches", async () => {
    const { add } = fixture.base(words);
    for (const title of ["b", "a", "c"]) {
      add({ title, chunks: [`rotate the signing keys ${title}`] });
      fixture.clock.now++;
    }
    add({ title: "far", chunks: [`long text of other things ${"and more ".repeat(100)} with keys`] });
    const order = async (sort: "newest" | "oldest") =>
      titlesOf(await pages({ query: "rotate signing keys", sort, topK: 2 }));
    expect(await order("newest")).toEqual(["c", "a", "b"]);
    expect(await order("oldest")).toEqual(["b", "a", "c"]);
  });
});
