import { describe, expect, it } from "vitest";
import { removeSome } from "../../daemon/storage/index/remove.ts";
import { createIndex, openIndex } from "../../daemon/storage/index/store.ts";
import { baseId, chunksOf, countTurns, openTestRegistry, revision } from "../support/index-revision.ts";
import { temporaryFolder } from "../support/temporary.ts";

describe("remove", () => {
  it("K8.6 removes materials with all that they alone used, and leaves the others", async () => {
    const { registry, values } = openTestRegistry();
    await registry.create(baseId, { substring: false });
    const revisions = ["a", "b", "c"].map((id) => revision(id, [`only ${id}`, "in all of them"]));
    await registry.commit(baseId, revisions);
    await registry.remove(baseId, ["a", "c"]);
    expect(values("SELECT text FROM search_text ORDER BY 1")).toEqual(["in all of them", "only b"]);
    expect(values("SELECT rowid FROM unit_words WHERE unit_words MATCH 'only'")).toHaveLength(1);
    expect(values("SELECT count(*) FROM content")).toEqual([1]);
    expect(values("SELECT count(*) FROM material_words")).toEqual([1]);
    expect(values("SELECT generation FROM stats")).not.toEqual([0]);
    expect(await registry.check(baseId)).toEqual({ ok: true, problems: [], units: 2, vectors: 2 });
    expect(await registry.counts(baseId)).toEqual({ materials: 1, units: 2 });
  });

  it("K8.8 is safe to repeat, also for materials that were never there", async () => {
    const { registry } = openTestRegistry();
    await registry.create(baseId, { substring: false });
    await registry.commit(baseId, [revision("a", ["x"])]);
    for (let round = 0; round < 3; round++) await registry.remove(baseId, ["a", "nobody", "a"]);
    expect(await registry.check(baseId)).toMatchObject({ ok: true, units: 0, vectors: 0 });
  });

  it("K8.6 a large delete goes in many turns of the event loop, and others get their turn between", async () => {
    const { registry } = openTestRegistry({ sliceMs: 2 });
    await registry.create(baseId, { substring: false });
    await registry.commit(baseId, [revision("big", chunksOf("big", 1500))]);
    const order: string[] = [];
    const turns = await countTurns(async () => {
      const removing = registry.remove(baseId, ["big"]).then(() => order.push("removed"));
      const writing = registry
        .commit(baseId, [revision("small", ["in between"])])
        .then(() => order.push("written"));
      await Promise.all([removing, writing]);
    });
    expect(turns).toBeGreaterThan(20);
    expect(order).toEqual(["written", "removed"]);
    expect(await registry.check(baseId)).toMatchObject({ ok: true, units: 1 });
  });

  it("K8.6 a material that does not fit a slice is a tombstone first, and no step leaves an orphan (K8.8)", async () => {
    const { registry, ...test } = openTestRegistry();
    await registry.create(baseId, { substring: false });
    await registry.commit(baseId, [revision("big", chunksOf("big", 400)), revision("other", ["stays"])]);
    await registry.close();
    const { db } = openIndex({ path: registry.indexPath(baseId), baseId, cacheKiB: 1024 });
    const pending = ["big"];
    removeSome(db, pending, 0.5);
    expect(pending).toEqual(["big"]);
    expect(
      db.statement("SELECT current_content_hash FROM material WHERE material_id = 'big'").pluck().all(),
    ).toEqual([null]);
    db.close();
    // As after a crash: nobody remembers, and the whole delete is asked for again.
    const again = test.reopen();
    const report = await again.check(baseId);
    expect(report.problems).toEqual([]);
    expect(report.units).toBeGreaterThan(1);
    expect(report.units).toBeLessThan(401);
    await again.remove(baseId, ["big"]);
    expect(await again.check(baseId)).toMatchObject({ ok: true, units: 1, vectors: 1 });
    expect(test.values("SELECT count(*) FROM content")).toEqual([1]);
  });

  it("K8.6 a tombstone that comes back is whole again", async () => {
    const { registry, reopen } = openTestRegistry();
    await registry.create(baseId, { substring: false });
    const big = revision("big", chunksOf("big", 400));
    await registry.commit(baseId, [big]);
    await registry.close();
    const { db } = openIndex({ path: registry.indexPath(baseId), baseId, cacheKiB: 1024 });
    removeSome(db, ["big"], 0.5);
    db.close();
    const again = reopen();
    expect(await again.commit(baseId, [big])).toEqual([{ materialId: "big", error: null }]);
    expect(await again.check(baseId)).toEqual({ ok: true, problems: [], units: 400, vectors: 400 });
  });

  it("K8.8 an abort between two steps leaves what is left to be asked for again", async () => {
    const { registry } = openTestRegistry({ sliceMs: 1 });
    await registry.create(baseId, { substring: false });
    await registry.commit(baseId, [revision("big", chunksOf("big", 600))]);
    const stop = new AbortController();
    const removing = registry.remove(baseId, ["big"], { signal: stop.signal });
    setImmediate(() => stop.abort(new Error("enough")));
    await expect(removing).rejects.toThrow("enough");
    expect((await registry.check(baseId)).problems).toEqual([]);
    await registry.remove(baseId, ["big"]);
    expect(await registry.counts(baseId)).toEqual({ materials: 0, units: 0 });
  });

  it("numbers of units are never used again, not after a delete, a rebuild or VACUUM", async () => {
    const test = openTestRegistry();
    const { registry } = test;
    await registry.create(baseId, { substring: false });
    const used = new Set<unknown>();
    for (let round = 0; round < 4; round++) {
      await registry.commit(baseId, [revision("a", chunksOf(`round${round}`, 3))]);
      const numbers = test.values("SELECT number FROM unit_number");
      expect(numbers.filter((number) => used.has(number))).toEqual([]);
      for (const number of numbers) used.add(number);
      await registry.remove(baseId, ["a"]);
      test.tamper("VACUUM");
    }
    expect(used.size).toBe(12);
  });

  it("nothing to remove writes nothing", () => {
    const path = `${temporaryFolder()}/index.sqlite`;
    const { db } = createIndex({ path, baseId, cacheKiB: 1024 }, { substring: false });
    removeSome(db, ["nobody"], 8);
    expect(db.statement("SELECT materials, units, generation FROM stats").get()).toEqual({
      materials: 0,
      units: 0,
      generation: 0,
    });
    db.close();
  });
});
