import { mkdirSync, readdirSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { baseLayout } from "../../daemon/storage/index/layout.ts";
import { openIndex } from "../../daemon/storage/index/store.ts";
import { baseId, openTestRegistry, revision, type TestRegistry } from "../support/index-revision.ts";

const other = "9b2f7f4e-7d3b-4b43-9d7e-6e8f6f6e2a11";

/** A closed base with one material in it. */
async function closedBase(): Promise<TestRegistry & { file: string }> {
  const test = openTestRegistry();
  await test.registry.create(baseId, { substring: false });
  await test.registry.commit(baseId, [revision("a", ["hello"])]);
  await test.registry.close();
  return { ...test, file: test.registry.indexPath(baseId) };
}

describe("layout", () => {
  it("K2.1 the index stands in the control folder and material in raw", async () => {
    const { registry, dataDir } = openTestRegistry();
    await registry.create(baseId, { substring: false });
    const folder = path.join(dataDir, "KnowledgeBase", baseId);
    expect(registry.indexPath(baseId)).toBe(path.join(folder, ".cherry", "index.sqlite"));
    expect(registry.rawPath(baseId)).toBe(path.join(folder, "raw"));
    expect(readdirSync(folder).sort()).toEqual([".cherry", "raw"]);
    expect(statSync(path.join(folder, ".cherry")).mode & 0o077).toBe(0);
  });

  it("K2.1 the seven objects are there, and what knowd adds stands in tables of its own", async () => {
    const test = openTestRegistry();
    await test.registry.create(baseId, { substring: false });
    const tables = test.values(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB '*_fts_*'",
    );
    expect(tables).toEqual(
      expect.arrayContaining([
        "meta",
        "content",
        "material",
        "search_unit",
        "search_text",
        "embedding",
        "search_text_fts",
        "unit_number",
        "unit_words",
        "material_words",
        "stats",
      ]),
    );
    expect(test.rows("SELECT schema_version, base_id FROM meta")).toEqual([
      { schema_version: 2, base_id: baseId },
    ]);
  });

  it.each(["", "..", "a/b", "a\\b", ".", "x".repeat(200), "a\0b"])("refuses %j as the id of a base", (id) => {
    expect(() => baseLayout("/data", id)).toThrow(TypeError);
  });

  it.each([
    "",
    "/a",
    ".",
    "..",
    "../a",
    "a/../b",
    "a/..",
    "./a",
    "a/./b",
    "a//b",
    "a\0b",
    ".cherry",
    ".cherry/x",
  ])("K2.4 the database refuses the path %j", async (relativePath) => {
    const { registry, tamper } = openTestRegistry();
    await registry.create(baseId, { substring: false });
    const insert = "INSERT INTO material (material_id, relative_path) VALUES ('m', ?)";
    expect(() => tamper(insert, relativePath)).toThrow("CHECK");
  });

  it.each(["a", "a/b.md", ".cherryx", ".cherry\\x", "x/.cherry/y", "..a", "a..", "a/..b", " "])(
    "K2.4 the database takes the path %j",
    async (relativePath) => {
      const { registry, tamper, values } = openTestRegistry();
      await registry.create(baseId, { substring: false });
      tamper("INSERT INTO material (material_id, relative_path) VALUES ('m', ?)", relativePath);
      expect(values("SELECT relative_path FROM material")).toEqual([relativePath]);
    },
  );
});

describe("pragmas", () => {
  it("K8.3 an index is opened with WAL, foreign keys, synchronous NORMAL and a busy timeout of 5 s", async () => {
    const { file } = await closedBase();
    const { db } = openIndex({ path: file, baseId, cacheKiB: 4096 });
    try {
      const read = (name: string) => db.raw.pragma(name, { simple: true });
      expect(["journal_mode", "foreign_keys", "synchronous", "busy_timeout"].map(read)).toEqual([
        "wal",
        1,
        1,
        5000,
      ]);
      expect(["cache_size", "auto_vacuum", "secure_delete"].map(read)).toEqual([-4096, 2, 2]);
      expect(read("application_id")).toBe(0x6b_6e_64_78);
    } finally {
      db.close();
    }
  });

  it("K8.3 a transaction whose callback returns a promise throws and writes nothing", async () => {
    const { file } = await closedBase();
    const { db } = openIndex({ path: file, baseId, cacheKiB: 4096 });
    try {
      const promising = async () => void db.statement("UPDATE stats SET units = 99").run();
      expect(() => db.transaction(promising)).toThrow(TypeError);
      expect(db.statement("SELECT units FROM stats").pluck().get()).toBe(1);
    } finally {
      db.close();
    }
  });
});

describe("an index that can't serve", () => {
  const overwrite = (at: number, length: number) => (file: string) => {
    const raw = Buffer.alloc(statSync(file).size, 0x5a);
    writeFileSync(file, raw.subarray(0, Math.max(at + length, 4096)));
  };
  const sql = (text: string) => (file: string) => {
    const raw = new Sqlite(file);
    raw.pragma("foreign_keys = OFF");
    raw.exec(text);
    raw.close();
  };
  it.each<[string, (file: string) => void, string]>([
    ["is missing", (file) => rmSync(file), "missing"],
    [
      "lost its whole folder",
      (file) => rmSync(path.dirname(path.dirname(file)), { recursive: true }),
      "missing",
    ],
    ["was truncated to nothing", (file) => truncateSync(file, 0), "empty"],
    ["is full of rubbish", overwrite(0, 8192), "corrupt"],
    ["was cut in the middle", (file) => truncateSync(file, 3 * 4096), ""],
    [
      "is a folder's worth of text",
      (file) => writeFileSync(file, "not a database, but long enough to be read"),
      "corrupt",
    ],
    ["is an empty database", (file) => (rmSync(file), new Sqlite(file).exec("VACUUM").close()), "whose"],
    ["is a database of another kind", (file) => (rmSync(file), sql("CREATE TABLE x (y)")(file)), "foreign"],
    ["belongs to another base", sql(`UPDATE meta SET base_id = '${other}'`), "another base"],
    ["has an older schema version", sql("UPDATE meta SET schema_version = 1"), "schema version 1"],
    ["has a newer schema version", sql("UPDATE meta SET schema_version = 3"), "schema version 3"],
    ["has a newer user_version", sql("PRAGMA user_version = 999"), "newer"],
    ["says nothing of itself", sql("DELETE FROM meta"), "whose"],
    ["lost a table", sql("DROP TABLE stats"), "damaged"],
  ])("K8.2 that %s is made again empty, and the base says rebuilding", async (_, harm, reason) => {
    const test = await closedBase();
    harm(test.file);
    const registry = test.reopen();
    expect(registry.state(baseId)).toBe("ready");
    expect(await registry.counts(baseId)).toEqual({ materials: 0, units: 0 });
    expect(test.recreated).toEqual([expect.stringContaining(reason)]);
    expect(registry.state(baseId)).toBe("rebuilding");
    registry.setState(baseId, "ready");
    const outcomes = await registry.commit(baseId, [revision("a", ["hello again"])]);
    expect(outcomes[0]?.error).toBeNull();
    expect(await registry.check(baseId)).toMatchObject({ ok: true, units: 1 });
    expect(test.recreated).toHaveLength(1);
    expect(registry.state(baseId)).toBe("ready");
  });

  it("K8.2 is put aside once, and never piles up", async () => {
    const test = await closedBase();
    for (let round = 0; round < 3; round++) {
      const registry = test.reopen();
      await registry.recreate(baseId, `round ${round}`);
      await registry.close();
    }
    expect(test.recreated).toEqual(["round 0", "round 1", "round 2"]);
    expect(readdirSync(path.dirname(test.file)).sort()).toEqual(["index.sqlite", "index.sqlite.bad"]);
  });

  it("K8.2 keeps its setting for trigrams when it is made again, or takes the base's when it can't say", async () => {
    const test = openTestRegistry();
    await test.registry.create(baseId, { substring: true });
    await test.registry.recreate(baseId, "asked");
    expect(test.values("SELECT substring FROM stats")).toEqual([1]);
    await test.registry.close();
    rmSync(test.registry.indexPath(baseId));
    await test.reopen({ substringOf: (id) => id === baseId }).open(baseId);
    expect(test.values("SELECT substring FROM stats")).toEqual([1]);
  });

  it("two registries: the one that is given a foreign index refuses it and leaves the other's file as it is", async () => {
    const [mine, theirs] = [await closedBase(), openTestRegistry()];
    await theirs.registry.create(other, { substring: false });
    await theirs.registry.commit(other, [revision("t", ["theirs"])]);
    await theirs.registry.close();
    const theirFile = theirs.registry.indexPath(other);
    rmSync(mine.file);
    renameSync(theirFile, mine.file);
    await mine.reopen().open(baseId);
    expect(mine.recreated).toEqual([expect.stringContaining(other)]);
    const aside = new Sqlite(`${mine.file}.bad`, { readonly: true });
    expect(aside.prepare("SELECT text FROM content").pluck().all()).toEqual(["theirs"]);
    aside.close();
    await theirs.reopen().open(other);
    expect(theirs.recreated).toEqual([expect.stringContaining("missing")]);
  });
});

describe("a file that changes while it is open", () => {
  it.each<[string, (file: string) => void, string]>([
    ["deleted", (file) => rmSync(file), "deleted"],
    [
      "replaced",
      (file) => {
        renameSync(file, `${file}.moved`);
        writeFileSync(file, "something else");
      },
      "replaced",
    ],
    ["emptied", (file) => truncateSync(file, 0), "emptied"],
    ["gone with its folder", (file) => rmSync(path.dirname(file), { recursive: true }), "deleted"],
  ])("K8.2 is noticed when it was %s, and nothing is written into the void", async (_, harm, reason) => {
    const test = openTestRegistry({ lookEveryMs: 0 });
    await test.registry.create(baseId, { substring: false });
    await test.registry.commit(baseId, [revision("a", ["hello"])]);
    harm(test.registry.indexPath(baseId));
    const outcomes = await test.registry.commit(baseId, [revision("b", ["world"])]);
    expect(outcomes[0]?.error).toBeNull();
    expect(test.recreated).toEqual([expect.stringContaining(reason)]);
    expect(test.values("SELECT material_id FROM material")).toEqual(["b"]);
  });
});

describe("create, destroy, close", () => {
  it("create keeps a sound index of the same base and tells nobody", async () => {
    const test = await closedBase();
    const registry = test.reopen();
    await registry.create(baseId, { substring: false });
    expect(await registry.counts(baseId)).toEqual({ materials: 1, units: 1 });
    expect(test.recreated).toEqual([]);
  });

  it("K3.5 a destroyed base's folder is gone and does not come back by a late call", async () => {
    const test = openTestRegistry();
    await test.registry.create(baseId, { substring: false });
    mkdirSync(path.join(test.registry.rawPath(baseId), "deep"), { recursive: true });
    await test.registry.destroy(baseId);
    await expect(test.registry.commit(baseId, [revision("a", ["late"])])).rejects.toMatchObject({
      errorName: "BASE_NOT_FOUND",
    });
    expect(readdirSync(path.join(test.dataDir, "KnowledgeBase"))).toEqual([]);
    await test.registry.destroy(baseId);
  });

  it("close lets the transaction in hand roll back and refuses what comes later", async () => {
    const test = openTestRegistry({ sliceMs: 1 });
    await test.registry.create(baseId, { substring: false });
    const many = Array.from({ length: 2000 }, (_, at) => `chunk ${at}`);
    const writing = test.registry.commit(baseId, [revision("big", many)]);
    const closing = new Promise((resolve) => setImmediate(resolve)).then(() => test.registry.close());
    await expect(writing).rejects.toMatchObject({ errorName: "STOPPING" });
    await closing;
    await expect(test.registry.counts(other)).rejects.toMatchObject({ errorName: "STOPPING" });
    const registry = test.reopen();
    expect(await registry.check(baseId)).toMatchObject({ ok: true, units: 0 });
    expect(test.recreated).toEqual([]);
  });
});
