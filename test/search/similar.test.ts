import { describe, expect, it } from "vitest";
import { methodTable, type ParamsInput, type Result } from "../../rpc/contract/index.ts";
import { remoteModel, useSearch } from "../support/search-fixture.ts";

const fixture = useSearch();
const signal = new AbortController().signal;
const words = { embeddingModelId: null, dimensions: null } as const;

const boats = [
  "The ferry leaves the harbour at noon, and the captain counts the passengers on deck.",
  "Sailors tie the boat to the pier before the storm comes into the harbour.",
  "A captain of a ferry needs a licence for the harbour and for the open sea.",
];
const bread = [
  "Knead the dough until it is smooth, then let the yeast work for an hour in a warm place.",
  "A sourdough loaf needs flour, water, salt and a starter that was fed the evening before.",
  "Bake the bread in a hot oven until the crust is brown and the loaf sounds hollow.",
];

async function similar(params: ParamsInput<"search.similar">): Promise<Result<"search.similar">> {
  const { params: schema, result } = methodTable["search.similar"];
  return result.parse(await fixture.search.similar(schema.parse(params), signal));
}

const conceptsOf = (result: Result<"search.similar">): string[] => result.hits.map((hit) => hit.conceptId);

function fill(base: ReturnType<typeof fixture.base>) {
  return {
    ferry: base.add({ title: "ferry", chunks: [boats[0]!, "Tickets are sold at the counter."] }),
    pier: base.add({ title: "pier", chunks: [boats[1]!] }),
    licence: base.add({ title: "licence", chunks: [boats[2]!] }),
    dough: base.add({ title: "dough", chunks: [bread[0]!] }),
    loaf: base.add({ title: "loaf", chunks: [bread[1]!] }),
    oven: base.add({ title: "oven", chunks: [bread[2]!] }),
  };
}

describe.each([
  ["with vectors", {}],
  ["by words alone", words],
])("search.similar %s", (_name, settings) => {
  it("finds what is like a document, without the document", async () => {
    const { ferry, dough } = fill(fixture.base(settings));
    const toFerry = conceptsOf(await similar({ itemId: ferry.id, topK: 2 }));
    expect(toFerry.toSorted()).toEqual(["licence.md", "pier.md"]);
    expect(conceptsOf(await similar({ itemId: dough.id }))).not.toContain("dough.md");
  });

  it("finds what is like a passage, elsewhere or in its document too", async () => {
    const base = fixture.base(settings);
    const { licence } = fill(base);
    const two = base.add({
      title: "two",
      chunks: [boats[2]!.replace("licence", "permit"), boats[0]!.replace("noon", "one")],
    });
    const chunks = await fixture.search.chunks({ itemId: two.id, limit: 5 }, signal);
    const unitId = chunks.items[0]!.unitId;
    const elsewhere = await similar({ itemId: two.id, unitId, topK: 3 });
    expect(conceptsOf(elsewhere)[0]).toBe("licence.md");
    expect(conceptsOf(elsewhere)).not.toContain("two.md");
    const everywhere = await similar({ itemId: two.id, unitId, sameDocument: true });
    expect(conceptsOf(everywhere)).toContain("two.md");
    expect(everywhere.hits.map((hit) => hit.unitId)).not.toContain(unitId);
    expect(licence.id).toBe(elsewhere.hits[0]!.itemId);
  });

  it("finds what is like a pasted text, page by page", async () => {
    fill(fixture.base(settings));
    const text = "Flour, water and salt make a dough; yeast or a starter makes it a loaf of bread.";
    const first = await similar({ text, topK: 2 });
    expect(conceptsOf(first).toSorted()).toEqual(["dough.md", "loaf.md"]);
    const next = await similar({
      text,
      topK: 2,
      ...(first.cursor !== undefined && { cursor: first.cursor }),
    });
    expect(next.hits.map(({ rank }) => rank)).toEqual(
      first.cursor === undefined ? [1, 2] : [3, 4].slice(0, next.hits.length),
    );
  });
});

describe("search.similar", () => {
  it("K9.1 takes the stored vector in a document's own base, and asks its model for other bases alone", async () => {
    const asked: string[] = [];
    const remote = remoteModel({
      embed(texts, purpose) {
        asked.push(`${purpose}: ${texts[0]!.slice(0, 20)}`);
        return Promise.resolve(texts.map(() => Float32Array.of(1, 0)));
      },
    });
    fixture.models.set("remote", remote);
    const own = fixture.base({ embeddingModelId: "remote", dimensions: 2 });
    const other = fixture.base({ embeddingModelId: "remote", dimensions: 2 });
    const near = { text: "Something else entirely.", vector: [1, 0.1] };
    const item = own.add({ title: "ferry", chunks: [{ text: boats[0]!, vector: [1, 0] }] });
    own.add({ title: "near", chunks: [near] });
    other.add({ title: "near too", chunks: [near] });
    const inOwn = await similar({ itemId: item.id, baseIds: [own.base.id] });
    expect({ found: conceptsOf(inOwn), mode: inOwn.mode, asked }).toEqual({
      found: ["near.md"],
      mode: "hybrid",
      asked: [],
    });
    await similar({ itemId: item.id });
    expect(asked).toEqual(["document: ferry\n\nThe ferry lea"]);
  });

  it("K1.2 what the catalogue does not show has no likeness and is like nothing", async () => {
    const base = fixture.base();
    const { ferry, pier } = fill(base);
    fixture.catalog.items.setMissing([pier.id], 1);
    expect(conceptsOf(await similar({ itemId: ferry.id }))).not.toContain("pier.md");
    await expect(similar({ itemId: pier.id })).rejects.toMatchObject({ errorName: "ITEM_NOT_READABLE" });
  });

  it("refuses nothing, two things at once, an unknown passage, and one of another document", async () => {
    const { ferry, pier } = fill(fixture.base());
    const { params } = methodTable["search.similar"];
    for (const wrong of [
      {},
      { unitId: "x" },
      { itemId: ferry.id, text: "ferry" },
      { text: "x".repeat(100_001) },
    ])
      expect(params.safeParse(wrong).success).toBe(false);
    await expect(similar({ text: " ?! " })).rejects.toMatchObject({ errorName: "QUERY_EMPTY" });
    const unknown = similar({ itemId: ferry.id, unitId: "no such passage" });
    await expect(unknown).rejects.toMatchObject({ errorName: "PASSAGE_NOT_FOUND" });
    const [chunk] = (await fixture.search.chunks({ itemId: pier.id, limit: 1 }, signal)).items;
    const other = similar({ itemId: ferry.id, unitId: chunk!.unitId });
    await expect(other).rejects.toMatchObject({ errorName: "PASSAGE_NOT_FOUND" });
  });

  it("holds against a text of a hundred thousand characters and of many thousand different words", async () => {
    fill(fixture.base(words));
    const text = Array.from({ length: 14_000 }, (_, at) => `zq${at.toString(36)}`)
      .join(" ")
      .slice(0, 99_000);
    expect(
      conceptsOf(await similar({ text: `${text} ferry harbour captain ferry harbour captain` }))[0],
    ).toMatch(/ferry|licence/);
  });
});
