import { describe, expect, it } from "vitest";
import type { Item } from "../../rpc/contract/items.ts";
import { refusalOf, useCatalog } from "../support/catalog-fixture.ts";

const idsOf = (items: readonly Item[]): string[] => items.map((item) => item.id);

describe("parents and deletes", () => {
  const at = useCatalog();

  it("K4 a parent is a directory of the same base that is not deleting", () => {
    const folder = at.directory("d");
    const leaf = at.file("a.md");
    const other = at.catalog.bases.create({
      ...at.base,
      id: "3f0f7f4e-7d3b-4b43-9d7e-6e8f6f6e2a10",
      name: "other",
    });
    const under = (groupId: string, baseId = at.base.id) =>
      refusalOf(() => at.file("x", { groupId, baseId }))?.errorName;
    expect(under("none")).toBe("ITEM_NOT_FOUND");
    expect(under(folder.id, other.id)).toBe("ITEM_NOT_FOUND");
    expect(under(leaf.id)).toBe("INTERNAL");
    at.catalog.items.beginDelete([folder.id]);
    expect(under(folder.id)).toBe("ITEM_DELETING");
    expect(refusalOf(() => at.file("x", { baseId: "none" }))?.errorName).toBe("BASE_NOT_FOUND");
    at.raw((database) => {
      const move = database.prepare("UPDATE item SET group_id = ? WHERE id = ?");
      expect(() => move.run(leaf.id, folder.id)).toThrow(/no directory of this base/);
    });
  });

  it("K4 a directory can't be moved into itself or below", () => {
    const top = at.directory("a");
    const inner = at.directory("a/b", { groupId: top.id });
    const into = (groupId: string): string | undefined =>
      refusalOf(() => at.catalog.items.move(top.id, { path: "/x", conceptId: "x", title: "x", groupId }))
        ?.errorName;
    expect([into(inner.id), into(top.id)]).toEqual(["INTERNAL", "INTERNAL"]);
  });

  function tree(): { top: Item; inner: Item; leaves: Item[]; beside: Item } {
    const top = at.directory("a");
    const inner = at.directory("a/b", { groupId: top.id });
    const leaves = [at.file("a/1.md", { groupId: top.id }), at.file("a/b/2.md", { groupId: inner.id })];
    return { top, inner, leaves, beside: at.file("z.md") };
  }

  it("K4.1 a delete marks all below and answers it leaves first; repeating it is harmless (K8.8)", () => {
    const { top, inner, leaves, beside } = tree();
    const doomed = at.catalog.items.beginDelete([top.id, "none"]);
    const order = doomed.map((item) => item.id);
    expect(new Set(order)).toEqual(new Set([top, inner, ...leaves].map((item) => item.id)));
    expect(order.indexOf(inner.id)).toBeLessThan(order.indexOf(top.id));
    expect(order.indexOf((leaves[1] as Item).id)).toBeLessThan(order.indexOf(inner.id));
    expect(doomed.every((item) => item.status === "deleting")).toBe(true);
    expect(at.catalog.items.beginDelete([top.id, inner.id]).map((item) => item.id)).toEqual([
      inner.id,
      top.id,
    ]);
    expect(idsOf(at.catalog.items.deleting(at.base.id, 10)).sort()).toEqual(idsOf(leaves).sort());
    expect(at.catalog.items.require(beside.id).status).toBe("idle");
  });

  it("K8.6 a directory whose leaves were marked before is marked without answering them once more", () => {
    const { top, inner, leaves } = tree();
    const [first, ...others] = leaves as [Item, ...Item[]];
    expect(idsOf(at.catalog.items.beginDelete([first.id]))).toEqual([first.id]);
    expect(idsOf(at.catalog.items.beginDelete([top.id]))).toEqual([...idsOf(others), inner.id, top.id]);
  });

  it("K8.8 a delete that ended half-way goes on after a restart, leaves first and no directory before what is in it", () => {
    const { top, inner, leaves } = tree();
    at.catalog.items.beginDelete([top.id]);
    at.catalog.items.remove(idsOf(at.catalog.items.deleting(at.base.id, 1)));
    const { items } = at.reopen("crashed");
    const order: string[] = [];
    for (let page = items.deleting(at.base.id, 10); page.length > 0; page = items.deleting(at.base.id, 10)) {
      order.push(...idsOf(page));
      items.remove(idsOf(page));
    }
    expect(order).toHaveLength(3);
    expect(idsOf(leaves)).toContain(order[0]);
    expect(order.slice(1)).toEqual([inner.id, top.id]);
    expect(items.list({ baseId: at.base.id, limit: 10 }).items.map((item) => item.conceptId)).toEqual([
      "z.md",
    ]);
  });

  it("items that can't be purged are passed over, with what they stand in, and hold up nothing else", () => {
    const { top, inner, leaves } = tree();
    const [first, second] = leaves as [Item, Item];
    at.catalog.items.beginDelete([top.id]);
    expect(idsOf(at.catalog.items.deleting(at.base.id, 10, [second.id]))).toEqual([first.id]);
    at.catalog.items.remove([first.id]);
    expect(at.catalog.items.deleting(at.base.id, 10, [second.id])).toEqual([]);
    at.catalog.items.remove([second.id]);
    expect(idsOf(at.catalog.items.deleting(at.base.id, 10))).toEqual([inner.id]);
    expect(at.catalog.items.deleting("another base", 10)).toEqual([]);
  });

  it("only deleting items can be removed, and no directory before what stands in it", () => {
    const { top, inner, leaves, beside } = tree();
    expect(refusalOf(() => at.catalog.items.remove([beside.id]))?.errorName).toBe("INTERNAL");
    at.catalog.items.beginDelete([top.id]);
    expect(() => at.catalog.items.remove([top.id])).toThrow(/FOREIGN KEY/);
    at.catalog.items.remove([top.id, inner.id, ...leaves.map((leaf) => leaf.id)]);
    expect(at.catalog.items.deleting(at.base.id, 10)).toEqual([]);
  });

  it("a directory moved into a younger one is still purged before it", () => {
    const older = at.directory("old");
    const younger = at.directory("young");
    at.catalog.items.move(older.id, {
      path: "/y/old",
      conceptId: "young/old",
      title: "old",
      groupId: younger.id,
    });
    at.catalog.items.beginDelete([younger.id]);
    expect(idsOf(at.catalog.items.deleting(at.base.id, 10))).toEqual([older.id]);
    at.catalog.items.remove([older.id]);
    expect(idsOf(at.catalog.items.deleting(at.base.id, 10))).toEqual([younger.id]);
  });

  it("childless directories are those that hold nothing, not even a deleting child", () => {
    const { top, inner, leaves } = tree();
    const empty = at.directory("e");
    const ids = [top.id, inner.id, empty.id, (leaves[0] as Item).id, "none"];
    expect(at.catalog.items.childless(ids)).toEqual([empty.id]);
    const leaf = leaves[1] as Item;
    at.catalog.items.beginDelete([leaf.id]);
    expect(at.catalog.items.childless(ids)).toEqual([empty.id]);
    at.catalog.items.remove([leaf.id]);
    expect(at.catalog.items.childless(ids)).toEqual([inner.id, empty.id]);
  });
});
