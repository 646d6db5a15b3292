import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  baseId,
  chunksOf,
  openTestRegistry,
  revision,
  type TestRegistry,
} from "../support/index-revision.ts";

async function withTwo(): Promise<TestRegistry> {
  const test = openTestRegistry();
  await test.registry.create(baseId, { substring: false });
  await test.registry.commit(baseId, [revision("a", ["one", "two"]), revision("b", ["three"])]);
  return test;
}

describe("check", () => {
  it.each([
    ["number-without-unit", "INSERT INTO unit_number (unit_id) VALUES ('nobody')"],
    ["words-without-unit", "INSERT INTO unit_words (rowid, title, body) VALUES (999, 'x', 'y')"],
    ["unit-without-words", "DELETE FROM unit_words WHERE rowid = 1"],
    ["unit-without-number", "DELETE FROM unit_number WHERE number = 1"],
    ["unit-without-vector", "DELETE FROM embedding WHERE rowid = 1"],
    ["vector-without-text", "INSERT INTO embedding VALUES ('x', zeroblob(16))"],
    ["vector-of-other-length", "UPDATE embedding SET vector_blob = zeroblob(8) WHERE rowid = 2"],
    [
      "vector-damaged",
      "UPDATE embedding SET vector_blob = x'0000c07f0000c07f0000c07f0000c07f' WHERE rowid = 2",
    ],
    ["unit-without-text", "DELETE FROM search_text WHERE rowid = 1"],
    ["text-without-unit", "DELETE FROM search_unit WHERE rowid = 1"],
    ["text-differs", "UPDATE search_text SET text = 'other' WHERE rowid = 1"],
    ["content-damaged", "UPDATE content SET text = text || '!' WHERE rowid = 1"],
    ["content-without-material", "INSERT INTO content VALUES ('x', 'y')"],
    ["material-without-content", "DELETE FROM content WHERE rowid = 1"],
    ["shape-without-material", "INSERT INTO material_words VALUES ('nobody', 'text', 1, NULL)"],
    ["counter-off", "UPDATE stats SET units = 7"],
  ])("finds %s", async (kind, sql) => {
    const test = await withTwo();
    test.tamper(sql);
    const report = await test.registry.check(baseId);
    expect(report.ok).toBe(false);
    expect(report.problems.map((problem) => problem.kind)).toContain(kind);
    expect(test.recreated).toEqual([]);
  });

  it("says how many units and vectors there are when all is well", async () => {
    const { registry } = await withTwo();
    expect(await registry.check(baseId)).toEqual({ ok: true, problems: [], units: 3, vectors: 3 });
  });

  it("finds texts that lack trigrams where those are in use", async () => {
    const test = openTestRegistry();
    await test.registry.create(baseId, { substring: true });
    await test.registry.commit(baseId, [revision("a", ["one"])]);
    test.tamper("UPDATE search_text SET fts_rowid = NULL");
    const { problems } = await test.registry.check(baseId);
    expect(problems.map((problem) => problem.kind)).toContain("text-without-trigrams");
  });

  it("K8.2 a file that is damaged inside is reported and made again empty", async () => {
    const test = openTestRegistry();
    await test.registry.create(baseId, { substring: false });
    await test.registry.commit(baseId, [revision("a", chunksOf("a", 60, 60))]);
    const [page] = test.values("SELECT pageno FROM dbstat WHERE name = 'search_text' AND pagetype = 'leaf'");
    await test.registry.close();
    const file = test.registry.indexPath(baseId);
    const bytes = readFileSync(file);
    const at = (Number(page) - 1) * 4096;
    writeFileSync(file, bytes.fill(0xff, at, at + 64));
    const registry = test.reopen();
    const report = await registry.check(baseId);
    expect(report.problems.map((problem) => problem.kind)).toContain("damaged");
    expect(test.recreated).toEqual([expect.stringContaining("damaged")]);
    expect(registry.state(baseId)).toBe("rebuilding");
    expect(await registry.check(baseId)).toMatchObject({ ok: true, units: 0 });
  });
});
