import { readFileSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { baseId, chunksOf, countTurns, openTestRegistry, revision } from "../support/index-revision.ts";

/** Words that nothing else in the file can be taken for. */
const secret = "zugzwangxylophon";
const builtThread = new URL("../../dist/daemon/storage/index/maintenance-thread.js", import.meta.url);

describe.each([
  ["in line", null],
  ["in its thread", builtThread],
])("reclaim with checkpoints %s", (_, maintenanceEntry) => {
  it("K8.7 makes deleted text disappear from the file and gives its pages back", async () => {
    const { registry, reopen } = openTestRegistry({ maintenanceEntry });
    await registry.create(baseId, { substring: true });
    await registry.commit(baseId, [
      revision("gone", chunksOf(secret, 300, 40)),
      revision("stays", chunksOf("stays", 20)),
    ]);
    await registry.reclaim(baseId);
    const file = registry.indexPath(baseId);
    const full = statSync(file).size;
    expect(readFileSync(file).includes(secret)).toBe(true);
    const again = reopen({ maintenanceEntry });
    await registry.close();
    await again.remove(baseId, ["gone"]);
    const { freedBytes } = await again.reclaim(baseId, { force: true });
    expect(freedBytes).toBeGreaterThan(full / 2);
    expect(statSync(file).size).toBeLessThan(full / 2);
    expect(await again.check(baseId)).toEqual({ ok: true, problems: [], units: 20, vectors: 20 });
    await again.close();
    expect(readFileSync(file).includes(secret)).toBe(false);
  });
});

describe("reclaim", () => {
  it("K8.7 leaves free pages for later writes when they are few", async () => {
    const { registry, values } = openTestRegistry();
    await registry.create(baseId, { substring: false });
    await registry.commit(baseId, [revision("a", chunksOf("a", 50)), revision("b", ["b"])]);
    await registry.remove(baseId, ["a"]);
    expect(await registry.reclaim(baseId)).toEqual({ freedBytes: 0 });
    expect(values("PRAGMA freelist_count")[0]).toBeGreaterThan(0);
    expect((await registry.reclaim(baseId, { force: true })).freedBytes).toBeGreaterThan(0);
    expect(values("PRAGMA freelist_count")).toEqual([0]);
  });

  it("K8.7 goes in many turns of the event loop", async () => {
    // A slice of no length ends after each step.
    const { registry } = openTestRegistry({ sliceMs: 0 });
    await registry.create(baseId, { substring: false });
    const revisions = Array.from({ length: 40 }, (_, at) => revision(`m${at}`, chunksOf(`m${at}`, 20, 200)));
    await registry.commit(baseId, revisions);
    await registry.remove(
      baseId,
      revisions.filter((_, at) => at % 2 === 0).map(({ materialId }) => materialId),
    );
    expect(await countTurns(() => registry.reclaim(baseId, { force: true }))).toBeGreaterThan(5);
    expect(await registry.check(baseId)).toMatchObject({ ok: true, units: 400 });
  });
});

describe("merge", () => {
  it("brings the word index down to few segments in bounded steps, and drops deleted rows", async () => {
    const { registry, values } = openTestRegistry();
    await registry.create(baseId, { substring: false });
    for (let round = 0; round < 20; round++)
      await registry.commit(baseId, [revision(`m${round}`, [`text ${round}`])]);
    await registry.remove(
      baseId,
      Array.from({ length: 15 }, (_, at) => `m${at}`),
    );
    let steps = 0;
    while (await registry.merge(baseId)) expect(++steps).toBeLessThan(100);
    expect(values("SELECT count(DISTINCT segid) FROM unit_words_idx")).toEqual([1]);
    expect(values("SELECT rowid FROM unit_words WHERE unit_words MATCH 'text'")).toHaveLength(5);
    expect((await registry.check(baseId)).ok).toBe(true);
  });

  it("leaves searches few segments, and writes the largest again only when much has come beside it", async () => {
    const { registry, values } = openTestRegistry();
    await registry.create(baseId, { substring: false });
    // Texts of many words: segments of one page each are all alike to FTS5.
    const textOf = (at: number) =>
      Array.from({ length: 200 }, (_, word) => `w${(at * 31 + word * 7) % 5000}`);
    const sizes = "SELECT segid, count(*) AS pages FROM unit_words_idx GROUP BY segid";
    const ask = (what: string) =>
      Number(values(`SELECT ${what} FROM (${sizes}) ORDER BY pages DESC LIMIT 1`)[0]);
    const seen: { segments: number; largest: number; share: number }[] = [];
    for (let at = 0; at < 63; at++) {
      const texts = Array.from({ length: 5 }, (_, part) => `text ${textOf(at * 5 + part).join(" ")}`);
      await registry.commit(baseId, [revision(`m${at}`, texts)]);
      while (await registry.merge(baseId));
      const share = ask("pages") / ask("sum(pages)");
      seen.push({ segments: ask("count(*)"), largest: ask("segid"), share });
    }
    // Merged by FTS5's own rule alone, four of a kind at a time, 63 of one size are nine in the end, of alike sizes.
    expect(seen.filter(({ segments, share }) => segments > 4 && share < 0.6)).toEqual([]);
    const late = seen.slice(-32).map((one) => one.largest);
    expect(new Set(late).size).toBeLessThan(8);
    expect(values("SELECT rowid FROM unit_words WHERE unit_words MATCH 'text'")).toHaveLength(5 * 63);
    expect((await registry.check(baseId)).ok).toBe(true);
  });
});
