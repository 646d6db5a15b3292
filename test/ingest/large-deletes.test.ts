import { describe, expect, it } from "vitest";
import { itemsBelow } from "../../daemon/ingest/items-below.ts";
import { removeItems } from "../../daemon/ingest/remove-items.ts";
import { openQueue } from "../../daemon/queue/queue.ts";
import type { Item } from "../../rpc/contract/items.ts";
import { baseInput, useCatalog } from "../support/catalog-fixture.ts";

const at = useCatalog();

const inside = (folder: Item, name: string) => ({
  ...at.revision(),
  conceptId: `${folder.conceptId}/${name}`,
});

/** Files in a folder, made in one transaction. */
function fill(folder: Item, count: number): Item[] {
  return at.catalog.items.createMany(
    Array.from({ length: count }, (_, n) => ({
      baseId: folder.baseId,
      groupId: folder.id,
      sourceId: null,
      type: "file",
      title: `f${n}`,
      conceptId: inside(folder, `f${n}`).conceptId,
      path: null,
      sourceKey: null,
    })),
  );
}

function removal() {
  const queue = openQueue({
    jobs: at.catalog.jobs,
    retry: { baseMs: 1, maxMs: 1, maxAttempts: 1 },
    now: () => at.clock.now,
    random: () => 0,
  });
  return { catalog: at.catalog, queue, now: () => at.clock.now };
}

describe("a tree that is deleted", () => {
  it("K8.6 is walked in steps of bounded size, each item once and no directory before what stands in it", () => {
    const root = at.directory("d");
    fill(root, 700);
    const folders = [root];
    for (let n = 0; n < 300; n++) {
      const parent = folders[n % 2 === 0 ? 0 : n] ?? root;
      folders.push(at.directory(inside(parent, `s${n}`).conceptId, { groupId: parent.id }));
    }
    fill(folders.at(-1) ?? root, 3);
    const gone = fill(root, 1);
    at.catalog.items.beginDelete(gone.map((item) => item.id));
    const loose = at.file("loose.md");
    const steps = [...itemsBelow(at.catalog.items, [loose.id, root.id, "none", gone[0]?.id ?? ""])];
    const walked = steps.flat();
    expect(Math.max(...steps.map((step) => step.length))).toBeLessThanOrEqual(128);
    expect(new Set(walked.map(({ id }) => id)).size).toBe(walked.length);
    expect(walked).toHaveLength(1 + 700 + 3 + folders.length);
    const place = new Map(walked.map(({ id }, index) => [id, index]));
    const parentOf = (id: string) => place.get(at.catalog.items.require(id).groupId ?? "") ?? Infinity;
    expect(walked.filter(({ id }, index) => parentOf(id) < index)).toEqual([]);
    expect(walked.at(-1)).toEqual({ id: root.id, isDirectory: true });
  });

  it("K8.6 is hidden whole, also what comes into it meanwhile, and is counted", async () => {
    const root = at.directory("d");
    fill(root, 300);
    const sub = at.directory(inside(root, "sub").conceptId, { groupId: root.id });
    fill(sub, 200);
    const removing = removeItems(removal(), [root.id]);
    // Named so that the walk has passed it already.
    const late = at.file(inside(root, "a-late").conceptId, { groupId: root.id });
    expect(await removing).toBe(1 + 300 + 1 + 200 + 1);
    expect(at.catalog.items.get(late.id)?.status).toBe("deleting");
    expect(at.catalog.items.list({ baseId: at.base.id, limit: 10 }).items).toEqual([]);
  });

  it("K8.8 is found for its purge leaves first, whatever else is being deleted in other bases", () => {
    const other = at.catalog.bases.create(baseInput());
    const theirs = at.directory("theirs", { baseId: other.id });
    fill(theirs, 50);
    const root = at.directory("d");
    const sub = at.directory(inside(root, "sub").conceptId, { groupId: root.id });
    const files = fill(sub, 5).map((item) => item.id);
    at.catalog.items.beginDelete([theirs.id, root.id]);
    const found = (except: string[] = []) =>
      at.catalog.items.deleting(at.base.id, 100, except).map((item) => item.id);
    expect(found().sort()).toEqual([...files].sort());
    expect(found(files)).toEqual([]);
    at.catalog.items.remove(files);
    expect(found()).toEqual([sub.id]);
    at.raw((database) => {
      const plan = database
        .prepare(
          "EXPLAIN QUERY PLAN SELECT id FROM item INDEXED BY item_deleting WHERE status = 'deleting' AND base_id = ? AND type IN ('file', 'note', 'url') LIMIT 1",
        )
        .all("b") as { detail: string }[];
      expect(plan.map(({ detail }) => detail).join()).toContain("base_id=? AND type=?");
    });
  });
});
