import { describe, expect, it } from "vitest";
import { methodTable, type ParamsInput, type Result } from "../../rpc/contract/index.ts";
import { queryParams, useSearch } from "../support/search-fixture.ts";

const fixture = useSearch();
const signal = new AbortController().signal;
const words = { embeddingModelId: null, dimensions: null } as const;

async function explain(params: ParamsInput<"search.explain">): Promise<Result<"search.explain">> {
  const { params: schema, result } = methodTable["search.explain"];
  return result.parse(await fixture.search.explain(schema.parse(params), signal));
}

describe("search.explain", () => {
  it("K9.6 says what each term adds to a passage, and the sum is its score by words", async () => {
    const { add } = fixture.base(words);
    add({ title: "Keys", chunks: ["Rotate the signing keys every month."] });
    for (let at = 0; at < 5; at++) add({ title: `other ${at}`, chunks: [`Some keys of number ${at}.`] });
    const { bases, mode } = await explain({ query: "rotate signing keys" });
    const { terms, passages, fusion } = bases[0]!;
    expect({ mode, fusion }).toEqual({ mode: "bm25", fusion: { kind: "none" } });
    expect(terms).toEqual([
      { text: "rotate", kind: "word", passages: 1 },
      { text: "signing", kind: "word", passages: 1 },
      { text: "keys", kind: "word", passages: 6 },
      { text: "rotate signing keys", kind: "whole", passages: 0 },
    ]);
    const [first] = passages;
    expect(first).toMatchObject({ conceptId: "Keys.md", outcome: "hit", rank: 1, lanes: { bm25: 1 } });
    expect(first!.words!.terms.map(({ text }) => text).toSorted()).toEqual(["keys", "rotate", "signing"]);
    for (const { words: earned } of passages) {
      const sum = earned!.terms.reduce((total, { score }) => total + score, 0);
      expect(sum).toBeLessThanOrEqual(earned!.own + 1e-9);
    }
  });

  it("lists what each lane named in the order that a search has, and how the lanes were fused", async () => {
    const { add } = fixture.base();
    for (let at = 0; at < 8; at++)
      add({ title: `note ${at}`, chunks: [`Keys and locks of house ${at}`, `The weather of day ${at}`] });
    const { bases } = await explain({ query: "locks", topK: 3 });
    const { hits } = await fixture.search.query(queryParams({ query: "locks", topK: 3 }), signal);
    const { passages, fusion, candidates } = bases[0]!;
    const weights = { words: 0.75, vectors: 0.25, latent: 0 };
    expect(fusion).toEqual({ kind: "convex", alpha: 0.25, weights });
    expect(candidates).toBe(15);
    const listed = passages.filter(({ outcome }) => outcome === "hit");
    expect(listed.map(({ unitId, rank }) => [unitId, rank])).toEqual(
      hits.map((hit) => [hit.unitId, hit.rank]),
    );
    const cosines = passages
      .filter(({ lanes }) => lanes.vector !== undefined)
      .toSorted((a, b) => a.lanes.vector! - b.lanes.vector!)
      .map(({ lanes }) => lanes.cosine!);
    expect(cosines).toEqual(cosines.toSorted((a, b) => b - a));
  });

  it("says what became of what is no hit: folded, behind topK, hidden, a document's passage", async () => {
    const { add } = fixture.base(words);
    const copied = "keys ".repeat(20);
    add({ title: "hidden", chunks: ["keys keys keys"] }, { visible: false });
    add({ title: "one", chunks: [copied, "keys once more in one"] });
    add({ title: "copy", chunks: [copied] });
    for (let at = 0; at < 8; at++) add({ title: `note ${at}`, chunks: [`a longer text with keys ${at}`] });
    const plain = (await explain({ query: "keys", topK: 2 })).bases[0]!.passages;
    const namesOf = (wanted: string) =>
      plain.filter(({ outcome }) => outcome === wanted).map(({ conceptId }) => conceptId);
    expect(namesOf("hidden")).toEqual(["hidden.md"]);
    expect(namesOf("hit")).toHaveLength(2);
    expect(["one.md", "copy.md"]).toEqual(expect.arrayContaining(namesOf("duplicate")));
    expect(namesOf("duplicate")).toHaveLength(1);
    expect(namesOf("unlisted").length).toBeGreaterThan(5);
    const near = fixture.base();
    near.add({ title: "one", chunks: ["the keys of one", "keys once more in one"] });
    const grouped = await explain({ query: "keys", baseIds: [near.base.id], groupBy: "document" });
    expect(grouped.bases[0]!.passages.map(({ outcome }) => outcome)).toEqual(["hit", "passage"]);
  });

  it("tells of an item that no lane named how far it is from the list", async () => {
    const { add } = fixture.base(words);
    for (let at = 0; at < 20; at++) add({ title: `note ${at}`, chunks: [`keys keys ${at}`] });
    const far = add({ title: "far", chunks: [`${"many other words ".repeat(60)} keys`] });
    const silent = add({ title: "silent", chunks: ["nothing of that kind"] });
    const { bases } = await explain({ query: "keys", topK: 1, itemId: far.id });
    expect(bases[0]!.passages.some(({ itemId }) => itemId === far.id)).toBe(false);
    const lowest = bases[0]!.passages.at(-1)!.words!.score;
    expect(bases[0]!.item![0]!.words!.score).toBeLessThan(lowest);
    expect((await explain({ query: "keys", itemId: silent.id })).bases[0]!.item).toEqual([]);
  });

  it("explains what was searched, when nothing has the phrase, and lists the hits of a deeper search", async () => {
    const { add } = fixture.base(words);
    for (let at = 0; at < 12; at++) add({ title: `note ${at}`, chunks: [`keys and locks ${at}`] });
    const unquoted = await explain({ query: 'keys "locks keys"', topK: 2 });
    expect(unquoted.warnings.join()).toContain("its words were searched for");
    expect(unquoted.bases[0]!.passages.filter(({ outcome }) => outcome === "hit")).toHaveLength(2);
    for (let at = 0; at < 12; at++)
      add({ title: `hidden ${at}`, chunks: [`keys keys keys ${at}`] }, { visible: false });
    const { bases } = await explain({ query: "keys", topK: 2 });
    expect(bases[0]!.passages.filter(({ outcome }) => outcome === "hit")).toHaveLength(2);
  });

  it("says of an item that it does not pass the filters; K4.1 one that is deleting is unknown", async () => {
    const { add } = fixture.base(words);
    add({ title: "note", chunks: ["keys"] });
    const code = add({ title: "code", path: "code.ts", format: "code", chunks: ["keys"] });
    const { bases } = await explain({ query: "keys type:markdown", itemId: code.id });
    expect(bases[0]!.item!.map(({ outcome }) => outcome)).toEqual(["filtered"]);
    fixture.catalog.items.beginDelete([code.id]);
    const gone = explain({ query: "keys", itemId: code.id });
    await expect(gone).rejects.toMatchObject({ errorName: "ITEM_NOT_FOUND" });
    const shown = (await explain({ query: "keys" })).bases[0]!.passages;
    const told = shown.map(({ conceptId, outcome }) => `${outcome} ${conceptId}`);
    expect(told.toSorted()).toEqual(["hidden null", "hit note.md"]);
  });

  it("refuses an empty query and an unknown item", async () => {
    fixture.base(words);
    await expect(explain({ query: "?" })).rejects.toMatchObject({ errorName: "QUERY_EMPTY" });
    const unknown = explain({ query: "keys", itemId: "01932c07-4a3f-7b6e-9a52-0c5f0e9d7a11" });
    await expect(unknown).rejects.toMatchObject({ errorName: "ITEM_NOT_FOUND" });
  });
});
