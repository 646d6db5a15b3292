import { describe, expect, it } from "vitest";
import { baseId, chunksOf, countTurns, openTestRegistry, revision } from "../support/index-revision.ts";

const matching = "SELECT rowid FROM unit_words WHERE unit_words MATCH ?";

describe("rename", () => {
  it("K11.1 path and title words follow; units, text and vectors stay", async () => {
    const test = openTestRegistry();
    const { registry } = test;
    await registry.create(baseId, { substring: false });
    await registry.commit(baseId, [
      revision("a", ["hello world"], { path: "drafts/plan.md", headings: ["Goals"] }),
    ]);
    const kept = () => [
      test.rows("SELECT * FROM search_unit"),
      test.rows("SELECT * FROM search_text"),
      test.rows("SELECT * FROM embedding"),
    ];
    const before = kept();
    await registry.rename(baseId, "a", "final/roadmap.md");
    expect(kept()).toEqual(before);
    expect(test.values("SELECT relative_path FROM material")).toEqual(["final/roadmap.md"]);
    expect(test.rows(matching, "drafts OR plan")).toEqual([]);
    for (const word of ["roadmap", "final", "goals", "hello"])
      expect(test.rows(matching, word)).toHaveLength(1);
    expect((await registry.check(baseId)).ok).toBe(true);
  });

  it("title and tags of the document stay words of its chunks, and follow when they alone change", async () => {
    const test = openTestRegistry();
    const { registry } = test;
    await registry.create(baseId, { substring: false });
    const tagged = (...names: string[]) => revision("a", ["hello world"], { headings: ["Goals"], names });
    await registry.commit(baseId, [tagged("Manifesto", "garden")]);
    await registry.rename(baseId, "a", "final/roadmap.md");
    for (const word of ["manifesto", "garden", "roadmap"]) expect(test.rows(matching, word)).toHaveLength(1);
    await registry.commit(baseId, [tagged("Manifesto", "kitchen")]);
    expect(test.rows(matching, "garden")).toEqual([]);
    expect(test.rows(matching, "kitchen")).toHaveLength(1);
  });

  it("gives new numbers and a new generation, so that readers notice", async () => {
    const test = openTestRegistry();
    await test.registry.create(baseId, { substring: false });
    await test.registry.commit(baseId, [revision("a", ["x"])]);
    await test.registry.rename(baseId, "a", "b.md");
    expect(test.values("SELECT number FROM unit_number")).toEqual([2]);
    expect(test.values("SELECT generation FROM stats")).toEqual([1]);
  });

  it("does nothing for an equal path or a material that is not there", async () => {
    const test = openTestRegistry();
    await test.registry.create(baseId, { substring: false });
    await test.registry.commit(baseId, [revision("a", ["x"], { path: "a.md" })]);
    await test.registry.rename(baseId, "a", "a.md");
    await test.registry.rename(baseId, "nobody", "z.md");
    expect(test.values("SELECT number FROM unit_number")).toEqual([1]);
    expect(test.values("SELECT generation FROM stats")).toEqual([0]);
  });

  it("two materials can swap their paths, one rename after the other", async () => {
    const test = openTestRegistry();
    await test.registry.create(baseId, { substring: false });
    await test.registry.commit(baseId, [
      revision("a", ["x"], { path: "a.md" }),
      revision("b", ["y"], { path: "b.md" }),
    ]);
    await test.registry.rename(baseId, "a", "b.md");
    await test.registry.rename(baseId, "b", "a.md");
    expect(test.rows("SELECT material_id, relative_path FROM material ORDER BY 1")).toEqual([
      { material_id: "a", relative_path: "b.md" },
      { material_id: "b", relative_path: "a.md" },
    ]);
  });

  it("a large material is renamed over many turns of the event loop, all or nothing", async () => {
    const test = openTestRegistry({ sliceMs: 1 });
    await test.registry.create(baseId, { substring: false });
    await test.registry.commit(baseId, [revision("big", chunksOf("big", 800))]);
    const seen = new Set<unknown>();
    const turns = await countTurns(async () => {
      const renaming = test.registry.rename(baseId, "big", "huge.md");
      for (let look = 0; look < 5; look++) {
        seen.add(test.rows(matching, "huge").length);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await renaming;
    });
    expect(turns).toBeGreaterThan(10);
    expect([...seen].filter((count) => count !== 0 && count !== 800)).toEqual([]);
    expect(test.rows(matching, "huge")).toHaveLength(800);
  });
});

describe("words of another version", () => {
  it("are shaped again in the background from what is stored, and the base goes on answering", async () => {
    const test = openTestRegistry();
    await test.registry.create(baseId, { substring: false });
    await test.registry.commit(baseId, [revision("a", ["hello"]), revision("b", ["知識庫很大"])]);
    await test.registry.close();
    test.tamper("UPDATE material_words SET words_version = 0");
    test.tamper("UPDATE stats SET words_version = 0");
    test.tamper("DELETE FROM unit_words");
    const registry = test.reopen();
    await registry.open(baseId);
    expect(await registry.counts(baseId)).toEqual({ materials: 2, units: 2 });
    for (let look = 0; look < 200 && test.values("SELECT words_version FROM stats")[0] === 0; look++) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(test.rows(matching, "hello")).toHaveLength(1);
    expect(test.rows(matching, '"知識"')).toHaveLength(1);
    expect(test.recreated).toEqual([]);
    expect((await registry.check(baseId)).ok).toBe(true);
  });
});
