import { array, assert, constantFrom, nat, property, record } from "fast-check";
import { describe, expect, it } from "vitest";
import type { BaseCounts } from "../../rpc/contract/bases.ts";
import type { Item, ItemStatus } from "../../rpc/contract/items.ts";
import { useCatalog } from "../support/catalog-fixture.ts";

const step = record({
  what: constantFrom(
    "file",
    "directory",
    "status",
    "complete",
    "fail",
    "skip",
    "delete",
    "remove",
    "move",
    "restart",
  ),
  which: nat(),
  other: nat(),
  status: constantFrom<ItemStatus>("idle", "processing", "reading", "embedding"),
});

describe("the catalogue under random use", () => {
  const at = useCatalog();

  function all(): Item[] {
    const ids = at.raw((database) => database.prepare("SELECT id FROM item").pluck().all() as string[]);
    return ids.map((id) => at.catalog.items.require(id));
  }

  function apply({
    what,
    which,
    other,
    status,
  }: {
    what: string;
    which: number;
    other: number;
    status: ItemStatus;
  }): void {
    const items = all();
    const pick = (n: number, from: Item[]): Item | undefined => from[n % Math.max(1, from.length)];
    const alive = items.filter((item) => item.status !== "deleting");
    const leaf = pick(
      which,
      alive.filter((item) => item.type !== "directory"),
    );
    const folders = alive.filter((item) => item.type === "directory");
    // One time in as many it stands at the root.
    const folder = folders[other % (folders.length + 1)];
    const under = { groupId: folder?.id ?? null };
    const { items: store } = at.catalog;
    if (what === "file") at.file(`f${which % 4}.md`, under);
    else if (what === "directory") at.directory(`d${which % 4}`, under);
    else if (what === "status" && leaf) store.setStatus([leaf.id], status);
    else if (what === "complete" && leaf)
      store.complete(leaf.id, at.revision({ chunkCount: 1 + (other % 5) }));
    else if (what === "fail" && leaf) store.fail(leaf.id, `reason ${other % 3}`);
    else if (what === "skip" && leaf) store.fail(leaf.id, "not read", { failure: "unsupported" });
    else if (what === "move" && leaf)
      store.move(leaf.id, { path: "/x", conceptId: `f${other % 4}.md`, title: "x", ...under });
    else if (what === "delete" && alive.length > 0) store.beginDelete([pick(which, alive)?.id as string]);
    else if (what === "remove")
      store.remove(store.deleting(at.base.id, 1 + (which % 3)).map((item) => item.id));
    else if (what === "restart") at.reopen(which % 2 === 0 ? "closed" : "crashed").items.recoverInFlight();
  }

  /** K4.3 said anew, from nothing but the children's rows. */
  function statusByChildren(children: readonly Item[]): ItemStatus {
    const counted = children.filter((child) => child.status !== "deleting");
    if (counted.some((child) => !["completed", "failed"].includes(child.status))) return "processing";
    return counted.some((child) => child.status === "failed" && child.failure !== "unsupported")
      ? "failed"
      : "completed";
  }

  function countAnew(items: readonly Item[]): BaseCounts {
    const leaves = items.filter((item) => item.type !== "directory" && item.status !== "deleting");
    const completed = leaves.filter((item) => item.status === "completed");
    const failed = leaves.filter((item) => item.status === "failed");
    const skipped = failed.filter((item) => item.failure === "unsupported").length;
    return {
      items: leaves.length,
      completed: completed.length,
      failed: failed.length - skipped,
      skipped,
      warned: completed.filter((item) => item.warnings.length > 0).length,
      active: leaves.length - completed.length - failed.length,
      stale: completed.filter((item) => item.stale).length,
      chunks: completed.reduce((sum, item) => sum + item.chunkCount, 0),
    };
  }

  it("K4.3, K5.1 containers follow, counts agree and names stay unique after any sequence of steps", () => {
    assert(
      property(array(step, { minLength: 5, maxLength: 40 }), (steps) => {
        at.raw((database) =>
          database.exec(
            "DELETE FROM name; UPDATE item SET group_id = NULL; DELETE FROM item; DELETE FROM tally",
          ),
        );
        for (const one of steps) apply(one);
        const items = all();
        for (const folder of items.filter(
          (item) => item.type === "directory" && item.status !== "deleting",
        )) {
          const children = items.filter((item) => item.groupId === folder.id);
          expect(folder.status).toBe(statusByChildren(children));
        }
        expect(at.catalog.bases.counts(at.base.id)).toEqual(countAnew(items));
        expect(new Set(items.map((item) => item.conceptId)).size).toBe(items.length);
        const names = at.raw((database) => database.prepare("SELECT count(*) FROM name").pluck().get());
        expect(names).toBe(items.length);
      }),
      { numRuns: 25 },
    );
  });
});
