import { describe, expect, it } from "vitest";
import {
  MissingVectors,
  RevisionRejected,
  type MaterialRevision,
} from "../../daemon/storage/index/contract.ts";
import {
  baseId,
  chunksOf,
  countTurns,
  openTestRegistry,
  revision,
  sha256,
  vectorFor,
  type TestRegistry,
} from "../support/index-revision.ts";

async function withBase(options: Parameters<typeof openTestRegistry>[0] = {}): Promise<TestRegistry> {
  const test = openTestRegistry(options);
  await test.registry.create(baseId, { substring: false });
  return test;
}

async function commitAll(test: TestRegistry, ...revisions: MaterialRevision[]): Promise<void> {
  const outcomes = await test.registry.commit(baseId, revisions);
  expect(outcomes).toEqual(revisions.map(({ materialId }) => ({ materialId, error: null })));
}

const matching = "SELECT rowid FROM unit_words WHERE unit_words MATCH ? ORDER BY rowid";

describe("rebuildMaterial", () => {
  it("K8.4 replaces all of one material: text, units, words and vectors of the old revision are gone", async () => {
    const test = await withBase();
    await commitAll(test, revision("a", ["red apple", "green pear"]), revision("b", ["blue plum"]));
    await commitAll(test, revision("a", ["yellow quince"]));
    expect(test.values("SELECT text FROM search_text ORDER BY text")).toEqual(["blue plum", "yellow quince"]);
    expect(test.values("SELECT text FROM content ORDER BY text")).toEqual(["blue plum", "yellow quince"]);
    expect(test.values("SELECT count(*) FROM embedding")).toEqual([2]);
    expect(test.rows(matching, "apple OR pear")).toEqual([]);
    expect(test.rows(matching, "quince")).toHaveLength(1);
    expect(await test.registry.counts(baseId)).toEqual({ materials: 2, units: 2 });
    expect(await test.registry.check(baseId)).toEqual({ ok: true, problems: [], units: 2, vectors: 2 });
  });

  it("K8.4 stores slices of the text, the material's hash and path, and headings with locator", async () => {
    const test = await withBase();
    const made = revision("a", ["one 🎈", "two\0nul"], { path: "x/ä b.md", headings: ["H", "I"] });
    await commitAll(test, made);
    expect(test.rows("SELECT * FROM material")).toEqual([
      { material_id: "a", relative_path: "x/ä b.md", current_content_hash: made.contentHash },
    ]);
    expect(
      test.rows("SELECT char_start, char_end, locator_json FROM search_unit ORDER BY unit_index"),
    ).toEqual([
      { char_start: 0, char_end: 6, locator_json: '{"headings":["H","I"],"locator":{"lineStart":1}}' },
      { char_start: 8, char_end: 15, locator_json: '{"headings":["H","I"],"locator":{"lineStart":3}}' },
    ]);
    expect(test.values("SELECT text FROM search_text ORDER BY text")).toEqual(["one 🎈", "two\0nul"]);
  });

  it("K8.4 a charEnd beyond the text throws and leaves the old revision in place", async () => {
    const test = await withBase();
    await commitAll(test, revision("a", ["old text"]));
    const good = revision("a", ["new text"]);
    const [unit] = good.units;
    const bad = { ...good, units: unit ? [{ ...unit, charEnd: unit.charEnd + 1 }] : [] };
    const [outcome] = await test.registry.commit(baseId, [bad]);
    expect(outcome?.error).toBeInstanceOf(RevisionRejected);
    expect(outcome?.error?.message).toContain("beyond the text");
    expect(test.values("SELECT text FROM content")).toEqual(["old text"]);
    expect(test.rows(matching, "old")).toHaveLength(1);
  });

  it.each([
    ["a range that is empty", { charStart: 3, charEnd: 3 }],
    ["a range that starts before the text", { charStart: -1 }],
    ["an index that is there twice", { unitIndex: 1 }],
  ])("K8.4 refuses %s", async (_, patch) => {
    const test = await withBase();
    const good = revision("a", ["first one", "second one"]);
    const units = good.units.map((unit, at) => (at === 0 ? { ...unit, ...patch } : unit));
    const [outcome] = await test.registry.commit(baseId, [{ ...good, units }]);
    expect(outcome?.error).toBeInstanceOf(RevisionRejected);
    expect(test.values("SELECT count(*) FROM material")).toEqual([0]);
  });

  it("K8.4 a unit without a vector rolls the whole revision back and names the hashes that are missing", async () => {
    const test = await withBase();
    await commitAll(test, revision("a", ["old"]));
    const made = revision("a", ["kept", "lost"]);
    const vectors = new Map([[sha256("kept"), vectorFor("kept")]]);
    const [outcome] = await test.registry.commit(baseId, [{ ...made, vectors }]);
    expect(outcome?.error).toBeInstanceOf(MissingVectors);
    expect(outcome?.error).toMatchObject({ hashes: [sha256("lost")] });
    expect(test.values("SELECT text FROM search_text")).toEqual(["old"]);
    expect(test.values("SELECT count(*) FROM embedding")).toEqual([1]);
  });

  it.each([
    ["NaN", new Float32Array([0, Number.NaN, 0, 0])],
    ["infinity", new Float32Array([0, 0, Number.POSITIVE_INFINITY, 0])],
    ["no dimensions", new Float32Array()],
    ["another length than the stored ones", new Float32Array(5)],
  ])("a vector with %s is refused", async (_, vector) => {
    const test = await withBase();
    await commitAll(test, revision("a", ["sound"]));
    const vectors = new Map([[sha256("odd"), vector]]);
    const [outcome] = await test.registry.commit(baseId, [{ ...revision("b", ["odd"]), vectors }]);
    expect(outcome?.error).toBeInstanceOf(RevisionRejected);
    expect(await test.registry.counts(baseId)).toEqual({ materials: 1, units: 1 });
  });

  it("vectors are stored as little-endian float32, also a zero vector", async () => {
    const test = await withBase();
    const vectors = new Map([
      [sha256("x"), new Float32Array([1.5, -2, 0, 0.25])],
      [sha256("y"), new Float32Array(4)],
    ]);
    await commitAll(test, { ...revision("a", ["x", "y"]), vectors });
    const blob = test.values(
      "SELECT vector_blob FROM embedding WHERE embedding_text_hash = ?",
      sha256("x"),
    )[0];
    const bytes = blob as Buffer;
    expect([0, 4, 8, 12].map((at) => bytes.readFloatLE(at))).toEqual([1.5, -2, 0, 0.25]);
    expect(test.values("SELECT count(*) FROM embedding")).toEqual([2]);
  });

  it("an equal revision writes nothing: numbers, generation and times stay", async () => {
    const test = await withBase();
    const made = revision("a", chunksOf("a", 3));
    await commitAll(test, made);
    const state = () => [
      test.rows("SELECT * FROM unit_number"),
      test.rows("SELECT * FROM stats"),
      test.rows("SELECT * FROM meta"),
    ];
    const before = state();
    await commitAll(test, made);
    expect(state()).toEqual(before);
  });

  it("generation grows with a commit that took units away, and only then", async () => {
    const test = await withBase();
    const generation = () => test.values("SELECT generation FROM stats")[0];
    await commitAll(test, revision("a", ["one"]), revision("b", ["two"]));
    expect(generation()).toBe(0);
    await commitAll(test, revision("a", ["three"]));
    expect(generation()).toBe(1);
  });

  it("a base that gets a model keeps its units and gains vectors; the words are not written again", async () => {
    const test = await withBase();
    await commitAll(test, revision("a", ["one", "two"], { vectors: false }));
    expect(test.values("SELECT embedding_text_hash FROM search_text")).toEqual([null, null]);
    const numbers = test.rows("SELECT * FROM unit_number");
    await commitAll(test, revision("a", ["one", "two"]));
    expect(test.rows("SELECT * FROM unit_number")).toEqual(numbers);
    expect((await test.registry.check(baseId)).vectors).toBe(2);
    await commitAll(test, revision("a", ["one", "two"], { vectors: false }));
    expect(test.values("SELECT count(*) FROM embedding")).toEqual([0]);
    expect((await test.registry.check(baseId)).ok).toBe(true);
  });

  it("another reader that finds other headings in the same text replaces the units", async () => {
    const test = await withBase();
    await commitAll(test, revision("a", ["body"]));
    await commitAll(test, revision("a", ["body"], { headings: ["Chapter"] }));
    expect(test.rows(matching, "chapter")).toHaveLength(1);
    expect((await test.registry.check(baseId)).ok).toBe(true);
  });

  it("a path that another material still holds is given to the new one", async () => {
    const test = await withBase();
    await commitAll(test, revision("a", ["one"], { path: "x.md" }), revision("b", ["two"], { path: "y.md" }));
    await commitAll(test, revision("a", ["two"], { path: "y.md" }), revision("b", ["one"], { path: "x.md" }));
    expect(test.rows("SELECT material_id, relative_path FROM material ORDER BY material_id")).toEqual([
      { material_id: "a", relative_path: "y.md" },
      { material_id: "b", relative_path: "x.md" },
    ]);
    expect((await test.registry.check(baseId)).ok).toBe(true);
  });
});

describe("shared vectors", () => {
  it("K8.5 equal chunk texts share one vector, which outlives one sharer", async () => {
    const test = await withBase();
    await commitAll(test, revision("a", ["shared", "mine"]), revision("b", ["shared"]));
    expect(test.values("SELECT count(*) FROM embedding")).toEqual([2]);
    await commitAll(test, revision("a", ["changed"]));
    expect(test.values("SELECT embedding_text_hash FROM embedding ORDER BY 1")).toEqual(
      [sha256("changed"), sha256("shared")].sort(),
    );
    await test.registry.remove(baseId, ["b"]);
    expect(test.values("SELECT embedding_text_hash FROM embedding")).toEqual([sha256("changed")]);
  });

  it("K8.5 only missing hashes are asked for, each once, in their order", async () => {
    const test = await withBase();
    await commitAll(test, revision("a", ["known"]));
    const asked = ["new2", "known", "new1", "new2"].map(sha256);
    expect(await test.registry.missingVectors(baseId, asked)).toEqual([sha256("new2"), sha256("new1")]);
  });

  it("K8.5 a chunk that stays keeps its vector though the revision does not bring it again", async () => {
    const test = await withBase();
    await commitAll(test, revision("a", ["stays", "goes"]));
    const made = revision("a", ["new before", "stays"]);
    const vectors = new Map([[sha256("new before"), vectorFor("new before")]]);
    await commitAll(test, { ...made, vectors });
    expect(await test.registry.check(baseId)).toMatchObject({ ok: true, units: 2, vectors: 2 });
  });
});

describe("group commit", () => {
  it("K8.4 one bad revision among twenty takes nobody down", async () => {
    const test = await withBase();
    const revisions = Array.from({ length: 20 }, (_, at) => revision(`m${at}`, chunksOf(`m${at}`, 2)));
    revisions[7] = { ...revision("m7", ["broken"]), vectors: new Map() };
    const outcomes = await test.registry.commit(baseId, revisions);
    expect(outcomes.map((outcome) => outcome.error?.name ?? null)).toEqual(
      revisions.map((_, at) => (at === 7 ? "MissingVectors" : null)),
    );
    expect(await test.registry.counts(baseId)).toEqual({ materials: 19, units: 38 });
    expect((await test.registry.check(baseId)).ok).toBe(true);
  });

  it("K2.4 a row that SQLite refuses is left out alone; the rest of its group is stored", async () => {
    const test = await withBase();
    const revisions = ["a", "b", "c"].map((id) => revision(id, [`text of ${id}`]));
    revisions[1] = revision("b", ["text of b"], { path: "../out.md" });
    const outcomes = await test.registry.commit(baseId, revisions);
    expect(outcomes.map((outcome) => outcome.error === null)).toEqual([true, false, true]);
    expect(outcomes[1]?.error?.message).toContain("CHECK");
    expect(test.values("SELECT material_id FROM material ORDER BY 1")).toEqual(["a", "c"]);
    expect((await test.registry.check(baseId)).ok).toBe(true);
  });

  it("documents that share a transaction make one segment of the word index, rebuilt ones too", async () => {
    // On a busy machine a short slice would part them.
    const test = await withBase({ sliceMs: 10_000 });
    const small = (round: number) => ["a", "b", "c"].map((id) => revision(id, [`${id} in round ${round}`]));
    await commitAll(test, ...small(1));
    await commitAll(test, ...small(2));
    expect(test.values("SELECT count(DISTINCT segid) FROM unit_words_idx")).toEqual([2]);
  });

  it("a large revision is written over many turns of the event loop, and readers see all or nothing", async () => {
    const test = openTestRegistry({ sliceMs: 2 });
    await test.registry.create(baseId, { substring: false });
    await commitAll(test, revision("big", ["before"]));
    const seen = new Set<unknown>();
    const big = revision("big", chunksOf("big", 1500, 40));
    const turns = await countTurns(async () => {
      const writing = test.registry.commit(baseId, [big]);
      for (let look = 0; look < 10; look++) {
        seen.add(test.values("SELECT count(*) FROM search_unit")[0]);
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect((await writing)[0]?.error).toBeNull();
    });
    expect(turns).toBeGreaterThan(10);
    expect([...seen].filter((count) => count !== 1 && count !== 1500)).toEqual([]);
    expect(await test.registry.counts(baseId)).toEqual({ materials: 1, units: 1500 });
    expect((await test.registry.check(baseId)).ok).toBe(true);
  });

  it("segments are merged while much is written, so that they stay few", async () => {
    const test = await withBase();
    for (let round = 0; round < 80; round++) await commitAll(test, revision(`m${round}`, [`round ${round}`]));
    const segments = test.values("SELECT count(DISTINCT segid) FROM unit_words_idx")[0];
    expect(segments).toBeLessThanOrEqual(33);
    expect(test.rows(matching, "round")).toHaveLength(80);
  });
});
