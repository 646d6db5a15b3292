import { beforeEach, describe, expect, it } from "vitest";
import type { ItemFilter } from "../../daemon/storage/catalog/item-filter.ts";
import type { Item } from "../../rpc/contract/items.ts";
import { useCatalog } from "../support/catalog-fixture.ts";

const at = useCatalog();
const never = new AbortController().signal;
/** More than are read at once. */
const ITEMS = 1100;
let made: { item: Item; format: string; tags: string[]; deep: boolean }[] = [];
let folder: Item;

beforeEach(() => {
  made = at.catalog.transaction(() => {
    folder = at.directory("folder");
    const inner = at.directory("folder/inner", { groupId: folder.id });
    return Array.from({ length: ITEMS }, (_, number) => {
      if (number % 50 === 0) at.clock.now += 1000;
      const deep = number % 2 === 0;
      const format = ["markdown", "pdf", "code"][number % 3]!;
      const tags = number % 5 === 0 ? ["odd"] : ["project", ...(number % 7 === 0 ? ["project/x"] : [])];
      const file = at.file(`${deep ? "folder/inner/" : ""}${number}.md`, deep ? { groupId: inner.id } : {});
      return { item: at.complete(file, { format, metadata: { tags } }), format, tags, deep };
    });
  });
  at.catalog.items.setMissing([made[3]!.item.id], 1);
});

function idsOf(passes: (one: (typeof made)[number]) => boolean): string[] {
  return made.filter((one, number) => number !== 3 && passes(one)).map(({ item }) => item.id);
}

async function matching(filter: ItemFilter): Promise<string[] | undefined> {
  return (await at.catalog.items.matching(at.base.id, filter, never))?.toSorted();
}

describe("the documents that pass a filter", () => {
  it("K9.7 are found each once, however many pages they are read in", async () => {
    const { changedAt } = made[600]!.item;
    expect(await matching({ after: 0 })).toEqual(idsOf(() => true));
    expect(await matching({ notFormats: ["pdf"] })).toEqual(idsOf(({ format }) => format !== "pdf"));
    expect(await matching({ formats: ["pdf", "code"], notFormats: ["code"], after: changedAt })).toEqual(
      idsOf(({ format, item }) => format === "pdf" && item.changedAt >= changedAt),
    );
    expect(await matching({ tags: ["project"], before: changedAt })).toEqual(
      idsOf(({ tags, item }) => !tags.includes("odd") && item.changedAt < changedAt),
    );
    expect(await matching({ notTags: ["project"] })).toEqual(idsOf(({ tags }) => tags.includes("odd")));
    expect(await matching({ itemIds: [folder.id], tags: ["project/x"], formats: ["code"] })).toEqual(
      idsOf(({ deep, tags, format }) => deep && format === "code" && tags.includes("project/x")),
    );
  });

  it("come in the order of their time, ties by id, as many as are wanted", async () => {
    const all = made.map(({ item }) => item).filter((_, number) => number !== 3);
    const { items } = at.catalog;
    for (const [order, sign] of [
      ["newest", -1],
      ["oldest", 1],
    ] as const) {
      const found = await items.byTime(at.base.id, null, { order, limit: 120, signal: never });
      const expected = all.toSorted((a, b) => sign * (a.changedAt - b.changedAt) || (a.id < b.id ? -1 : 1));
      expect(found.map(({ id }) => id)).toEqual(expected.slice(0, 120).map(({ id }) => id));
    }
  });

  it("are looked for no longer when nobody waits", async () => {
    const { items } = at.catalog;
    const ended = AbortSignal.abort();
    for (const filter of [{ after: 0 }, { tags: ["odd"] }, { itemIds: [folder.id] }])
      await expect(items.matching(at.base.id, filter, ended)).rejects.toMatchObject({ name: "AbortError" });
  });
});
