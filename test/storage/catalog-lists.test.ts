import { describe, expect, it } from "vitest";
import type { Item } from "../../rpc/contract/items.ts";
import { refusalOf, useCatalog } from "../support/catalog-fixture.ts";

describe("reading items", () => {
  const at = useCatalog();

  function pages(limit: number, query: Partial<Parameters<typeof at.catalog.items.list>[0]> = {}): Item[][] {
    const found: Item[][] = [];
    let cursor: string | undefined;
    do {
      const page = at.catalog.items.list({ baseId: at.base.id, limit, cursor, ...query });
      found.push(page.items);
      cursor = page.cursor;
    } while (cursor !== undefined);
    return found;
  }

  it("K4.4 items page by createdAt descending, then id, without a gap when rows come and go", () => {
    const made: Item[] = [];
    for (let n = 0; n < 23; n++) {
      if (n % 4 === 0) at.clock.now += 5;
      made.push(at.file(`f${n}.md`));
    }
    const wanted = [...made]
      .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1))
      .map((item) => item.id);
    for (const limit of [1, 4, 5, 23, 100]) {
      expect(
        pages(limit)
          .flat()
          .map((item) => item.id),
      ).toEqual(wanted);
    }
    const first = at.catalog.items.list({ baseId: at.base.id, limit: 10 });
    at.clock.now += 5;
    at.file("newer.md");
    const second = at.catalog.items.list({ baseId: at.base.id, limit: 10, cursor: first.cursor });
    expect([...first.items, ...second.items].map((item) => item.id)).toEqual(wanted.slice(0, 20));
  });

  it("K4.4 a page holds 100 items at most", () => {
    at.catalog.transaction(() => Array.from({ length: 105 }, (_, n) => at.file(`f${n}.md`)));
    expect(pages(5000).map((page) => page.length)).toEqual([100, 5]);
  });

  it("K4.4 a cursor that this list did not make is CURSOR_INVALID", () => {
    at.file("a.md");
    at.file("b.md");
    const good = at.catalog.items.list({ baseId: at.base.id, limit: 1 }).cursor as string;
    const forged = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const bad = [
      "",
      "x",
      `${good}A`,
      good.slice(0, -2),
      `${good}=`,
      forged(["bases", 1, "x"]),
      forged(["items", "1", "x"]),
      forged(["items", 1.5, "x"]),
      forged(["items", 1]),
      forged(["items", 1, "x", 2]),
      forged({ items: 1 }),
    ];
    const itemErrors = bad.map((cursor) =>
      refusalOf(() => at.catalog.items.list({ baseId: at.base.id, limit: 1, cursor })),
    );
    const jobErrors = bad.map((cursor) => refusalOf(() => at.catalog.jobs.list({ limit: 1, cursor })));
    expect([...itemErrors, ...jobErrors].map((error) => error?.errorName)).toEqual(
      Array.from({ length: 2 * bad.length }, () => "CURSOR_INVALID"),
    );
    expect(at.catalog.items.list({ baseId: at.base.id, limit: 1, cursor: good }).items).toHaveLength(1);
  });

  it("K4.4 lists narrow to a directory, the roots, a type or a status, and leave deleting items out", () => {
    const folder = at.directory("d");
    const [a, b, c] = ["a", "b", "c"].map((name) => at.file(`d/${name}.md`, { groupId: folder.id })) as [
      Item,
      Item,
      Item,
    ];
    const note = at.file("n.md", { type: "note" });
    at.catalog.items.fail(b.id, "bad");
    at.catalog.items.beginDelete([c.id]);
    const ids = (query: Parameters<typeof pages>[1]): string[] =>
      pages(2, query)
        .flat()
        .map((item) => item.id)
        .sort();
    const sorted = (...items: Item[]): string[] => items.map((item) => item.id).sort();
    expect(ids({})).toEqual(sorted(folder, a, b, note));
    expect(ids({ groupId: folder.id })).toEqual(sorted(a, b));
    expect(ids({ groupId: null })).toEqual(sorted(folder, note));
    expect(ids({ type: "file" })).toEqual(sorted(a, b));
    expect(ids({ type: "note", groupId: null })).toEqual(sorted(note));
    expect(ids({ status: "failed" })).toEqual(sorted(b));
    expect(ids({ status: "idle" })).toEqual(sorted(a, note));
    expect(ids({ status: "deleting" })).toEqual([]);
  });

  it("K1.1 the tree comes from the catalogue, depth first, names sorted, concept ids on completed leaves alone", () => {
    const b = at.directory("b");
    const a = at.directory("a");
    const inner = at.directory("b/x", { groupId: b.id });
    at.complete(at.file("b/x/2.md", { groupId: inner.id }), { title: "Two" });
    at.file("b/x/10.md", { groupId: inner.id });
    at.catalog.items.beginDelete([at.file("b/gone.md", { groupId: b.id }).id]);
    at.complete(at.file("c.md"), { title: "C" });
    const tree = at.catalog.items.tree(at.base.id, 1000);
    expect(tree.truncated).toBe(false);
    expect(
      tree.nodes.map(({ depth, title, conceptId, children }) => [depth, title, conceptId, children]),
    ).toEqual([
      [0, "a", null, 0],
      [0, "b", null, 1],
      [1, "x", null, 2],
      [2, "10.md", null, 0],
      [2, "Two", "b/x/2.md", 0],
      [0, "C", "c.md", 0],
    ]);
    expect(tree.nodes[0]?.id).toBe(a.id);
  });

  it("the tree says when it is cut", () => {
    const d = at.directory("d");
    for (let n = 0; n < 5; n++) at.file(`d/${n}.md`, { groupId: d.id });
    at.file("e.md");
    expect(at.catalog.items.tree(at.base.id, 7)).toMatchObject({ truncated: false });
    for (const limit of [1, 3, 6]) {
      const tree = at.catalog.items.tree(at.base.id, limit);
      expect([tree.nodes.length, tree.truncated]).toEqual([limit, true]);
    }
  });

  it("K1.2 visible is what is completed, of this base and not missing", () => {
    const shown = at.complete(at.file("a.md"));
    const missing = at.complete(at.file("b.md"));
    const idle = at.file("c.md");
    const doomed = at.complete(at.file("d.md"));
    const other = at.catalog.bases.create({
      ...at.base,
      id: "3f0f7f4e-7d3b-4b43-9d7e-6e8f6f6e2a10",
      name: "other",
    });
    const foreign = at.complete(at.file("a.md", { baseId: other.id }));
    at.catalog.items.setMissing([missing.id], at.clock.now);
    at.catalog.items.beginDelete([doomed.id]);
    const ids = [foreign, doomed, idle, missing, shown, shown].map((item) => item.id);
    expect([...at.catalog.items.visible(at.base.id, [...ids, "none"]).keys()]).toEqual([shown.id]);
    at.catalog.items.setMissing([missing.id], null);
    expect([...at.catalog.items.visible(at.base.id, ids).keys()].sort()).toEqual(
      [missing.id, shown.id].sort(),
    );
  });

  it("K1.2 matching answers the visible leaves that pass every filter, and null when none narrows", async () => {
    const { items } = at.catalog;
    const source = at.source();
    const folder = at.directory("d");
    const old = at.file("d/old.md", { groupId: folder.id, sourceId: source.id });
    const stamp = { size: 1, mtimeNs: "1500000000000999999", ctimeNs: "1", ino: "1", dev: "1" };
    at.catalog.ledger.put([
      { sourceId: source.id, path: "old.md", itemId: old.id, stamp, byteHash: null, parser: null },
    ]);
    at.complete(old);
    const pdf = at.complete(at.file("p.pdf"), { format: "pdf" });
    at.catalog.items.setMissing([at.complete(at.file("m.pdf"), { format: "pdf" }).id], 1);
    at.file("idle.pdf");
    const match = async (filter: Parameters<typeof items.matching>[1]): Promise<string[] | null> =>
      (await items.matching(at.base.id, filter, new AbortController().signal))?.toSorted() ?? null;
    expect(await match({})).toBeNull();
    expect(await match({ formats: ["pdf"] })).toEqual([pdf.id]);
    expect(await match({ formats: [] })).toEqual([]);
    expect(await match({ formats: ["pdf", "markdown"] })).toEqual([old.id, pdf.id].sort());
    expect(await match({ before: at.clock.now })).toEqual([old.id]);
    expect(await match({ after: 1_500_000_000_000, before: 1_500_000_000_001 })).toEqual([old.id]);
    expect(await match({ after: at.clock.now })).toEqual([pdf.id]);
    expect(await match({ itemIds: [folder.id, "none"] })).toEqual([old.id]);
    expect(await match({ itemIds: [pdf.id], formats: ["markdown"] })).toEqual([]);
  });

  it("K4.1 deleting items are found by no name, path or listing of leaves", () => {
    const { items } = at.catalog;
    const folder = at.directory("d");
    const a = at.file("d/a.md", { groupId: folder.id, path: "/w/a.md" });
    const b = at.file("d/b.md", { groupId: folder.id });
    const below = (): string[] => items.childrenAfter(folder.id, "", 9).map(({ id }) => id);
    expect(below()).toEqual([a.id, b.id]);
    items.beginDelete([a.id]);
    expect(items.byConceptId(at.base.id, "d/a.md")).toBeUndefined();
    expect(items.byPath("/w/a.md")).toEqual([]);
    expect(below()).toEqual([b.id]);
    expect(items.leavesOfBase(at.base.id)).toEqual([b.id]);
  });

  it("K3 every field of an item is read back", () => {
    const item = at.file("a.md", { path: "/w/a.md", sourceKey: "/w/a.md" });
    at.clock.now += 5;
    at.complete(item, {
      warnings: ["one page could not be read"],
      sizeBytes: 12,
      contentHash: "ff",
      title: "A",
    });
    const found = at.reopen().items.require(item.id);
    expect(found).toEqual({
      ...item,
      status: "completed",
      title: "A",
      format: "markdown",
      sizeBytes: 12,
      contentHash: "ff",
      chunkCount: 3,
      warnings: ["one page could not be read"],
      changedAt: at.clock.now,
      updatedAt: at.clock.now,
    });
    expect(at.catalog.items.many([item.id, "none", item.id])).toEqual(new Map([[item.id, found]]));
    expect(refusalOf(() => at.catalog.items.require("none"))?.errorName).toBe("ITEM_NOT_FOUND");
  });
});
