import { describe, expect, it } from "vitest";
import { baseId, chunksOf, openTestRegistry, revision } from "../support/index-revision.ts";

const matching = "SELECT rowid FROM search_text_fts WHERE search_text_fts MATCH ?";
const numbers = "SELECT text, fts_rowid FROM search_text ORDER BY fts_rowid";
/** With rank 1 FTS5 compares its index with the text in search_text. */
const inStep = "INSERT INTO search_text_fts (search_text_fts, rank) VALUES ('integrity-check', 1)";

async function withTrigrams() {
  const test = openTestRegistry();
  await test.registry.create(baseId, { substring: true });
  return test;
}

describe("the trigram table", () => {
  it("K8.1 each text that comes in gets max(fts_rowid) + 1 and can be found by any part", async () => {
    const test = await withTrigrams();
    await test.registry.commit(baseId, [revision("a", ["hello world", "other"])]);
    expect(test.rows(numbers)).toEqual([
      { text: "hello world", fts_rowid: 1 },
      { text: "other", fts_rowid: 2 },
    ]);
    expect(test.values(matching, '"lo wo"')).toEqual([1]);
    test.tamper(inStep);
  });

  it("K8.1 a delete takes its trigrams along, also after VACUUM has renumbered the implicit rowids", async () => {
    const test = await withTrigrams();
    await test.registry.commit(baseId, [revision("a", ["first text"]), revision("b", ["second text"])]);
    await test.registry.remove(baseId, ["a"]);
    test.tamper("VACUUM");
    expect(test.rows(numbers)).toEqual([{ text: "second text", fts_rowid: 2 }]);
    expect(test.values(matching, '"first"')).toEqual([]);
    expect(test.values(matching, '"second"')).toEqual([2]);
    await test.registry.commit(baseId, [revision("c", ["third text"])]);
    expect(test.values(matching, '"third"')).toEqual([3]);
    test.tamper(inStep);
  });

  it("K8.1 an update of the text keys it again under the same number", async () => {
    const test = await withTrigrams();
    await test.registry.commit(baseId, [revision("a", ["before"])]);
    test.tamper("UPDATE search_text SET text = 'afterwards'");
    expect(test.rows(numbers)).toEqual([{ text: "afterwards", fts_rowid: 1 }]);
    expect(test.values(matching, '"before"')).toEqual([]);
    expect(test.values(matching, '"wards"')).toEqual([1]);
    test.tamper(inStep);
  });

  it("is left empty in a base that does not ask for it", async () => {
    const test = openTestRegistry();
    await test.registry.create(baseId, { substring: false });
    await test.registry.commit(baseId, [revision("a", ["hello"])]);
    expect(test.values("SELECT fts_rowid FROM search_text")).toEqual([null]);
    expect(test.values(matching, '"hello"')).toEqual([]);
  });

  it("is filled when a base asks for it later, and dropped when it does no more", async () => {
    const test = openTestRegistry({ sliceMs: 1 });
    await test.registry.create(baseId, { substring: false });
    await test.registry.commit(baseId, [revision("a", chunksOf("early", 200))]);
    await Promise.all([
      test.registry.setSubstring(baseId, true),
      test.registry.commit(baseId, [revision("b", ["came meanwhile"])]),
    ]);
    expect(test.values(matching, '"early"')).toHaveLength(200);
    expect(test.values(matching, '"meanwhile"')).toHaveLength(1);
    test.tamper(inStep);
    expect((await test.registry.check(baseId)).ok).toBe(true);
    await test.registry.setSubstring(baseId, true);
    await test.registry.setSubstring(baseId, false);
    expect(test.values("SELECT count(*) FROM search_text WHERE fts_rowid IS NOT NULL")).toEqual([0]);
    expect(test.values("SELECT substring FROM stats")).toEqual([0]);
    await test.registry.commit(baseId, [revision("c", ["later"])]);
    await test.registry.remove(baseId, ["a"]);
    expect(test.values(matching, '"later" OR "early"')).toEqual([]);
    expect((await test.registry.check(baseId)).ok).toBe(true);
  });

  /** Closes the registry as soon as the file says this. */
  async function cutOff(test: ReturnType<typeof openTestRegistry>, substring: boolean, when: string) {
    const work = test.registry.setSubstring(baseId, substring).catch(() => undefined);
    while (test.values(when)[0] === 0) await new Promise((resolve) => setImmediate(resolve));
    await test.registry.close();
    await work;
  }
  const someFilled = "SELECT EXISTS (SELECT 1 FROM search_text WHERE fts_rowid IS NOT NULL)";
  const someCleared = "SELECT EXISTS (SELECT 1 FROM search_text WHERE fts_rowid IS NULL)";
  const allFilled = `SELECT NOT ${someCleared.slice("SELECT ".length)}`;
  const noneFilled = `SELECT NOT ${someFilled.slice("SELECT ".length)}`;
  async function baseOf(units: number, substring: boolean) {
    const test = openTestRegistry({ sliceMs: 0 });
    await test.registry.create(baseId, { substring });
    await test.registry.commit(baseId, [revision("a", chunksOf("early", units))]);
    return test;
  }
  async function reached(test: ReturnType<typeof openTestRegistry>, sql: string) {
    await expect.poll(() => test.values(sql)[0], { timeout: 20_000 }).toBe(1);
  }

  it("K8.1 is whole after a drop that was cut off and a new fill, and after a fill that was cut off and a drop", async () => {
    const test = await baseOf(600, true);
    await cutOff(test, false, someCleared);
    expect(test.values(allFilled)).toEqual([0]);
    const registry = test.reopen();
    await registry.setSubstring(baseId, true);
    expect(test.values(matching, '"early"')).toHaveLength(600);
    test.tamper(inStep);
    await registry.close();

    const other = await baseOf(600, false);
    await cutOff(other, true, someFilled);
    expect(other.values(noneFilled)).toEqual([0]);
    const again = other.reopen();
    await again.setSubstring(baseId, false);
    await again.commit(baseId, [revision("b", ["later"])]);
    expect(other.values(matching, '"later" OR "early"')).toEqual([]);
    expect(other.values(noneFilled)).toEqual([1]);
    await again.setSubstring(baseId, true);
    expect(other.values(matching, '"later" OR "early"')).toHaveLength(601);
    other.tamper(inStep);
  });

  it.each([true, false])(
    "K8.1 what a stop has cut off goes on at the next opening (substring %s)",
    async (wanted) => {
      const test = await baseOf(600, !wanted);
      await cutOff(test, wanted, wanted ? someFilled : someCleared);
      await test.reopen({ substringOf: () => wanted }).open(baseId);
      await reached(test, wanted ? "SELECT substring FROM stats" : noneFilled);
      expect(test.values(matching, '"early"')).toHaveLength(wanted ? 600 : 0);
      if (wanted) test.tamper(inStep);
    },
  );

  it("of two contrary settings at once the later one counts", async () => {
    const test = await baseOf(300, false);
    await Promise.all([true, false].map((wanted) => test.registry.setSubstring(baseId, wanted)));
    expect(test.values(noneFilled)).toEqual([1]);
    expect(test.values("SELECT substring FROM stats")).toEqual([0]);
    await Promise.all([false, true].map((wanted) => test.registry.setSubstring(baseId, wanted)));
    expect(test.values(matching, '"early"')).toHaveLength(300);
    test.tamper(inStep);
  });
});
