import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { MissingVectors, RevisionRejected, type IndexRegistry } from "../../daemon/storage/index/contract.ts";
import { documentHash } from "../../daemon/storage/index/segments.ts";
import { eventually } from "../support/eventually.ts";
import {
  baseId,
  chunksOf,
  countTurns,
  openTestRegistry,
  revision,
  type TestRegistry,
} from "../support/index-revision.ts";
import { segmentsFor, stageAll } from "../support/index-segments.ts";

const big = [chunksOf("a", 40), chunksOf("b", 40), chunksOf("c", 40)];

async function open(sliceMs = 2): Promise<TestRegistry> {
  const test = openTestRegistry({ sliceMs });
  await test.registry.create(baseId, { substring: false });
  return test;
}

async function materials(registry: IndexRegistry): Promise<Record<string, string | null>> {
  const found: Record<string, string | null> = {};
  await registry.materials(baseId, (slice) => {
    for (const { materialId, contentHash } of slice) found[materialId] = contentHash;
  });
  return found;
}

/** Until nothing is left but what answers. */
async function swept({ registry, values }: TestRegistry): Promise<void> {
  await eventually(async () => {
    expect(values("SELECT * FROM unseen_material")).toEqual([]);
    expect(values("SELECT * FROM hidden_units")).toEqual([]);
    expect(values("SELECT * FROM kept_units")).toEqual([]);
    expect(await registry.check(baseId)).toMatchObject({ ok: true, problems: [] });
    return true;
  });
}

/** K7.1 in the database's own words: each unit is the slice of its own segment. */
const SLICES = `
  SELECT count(*) FROM search_unit AS u JOIN content AS c USING (content_hash) JOIN search_text AS t ON t.target_id = unit_id
  WHERE substr(c.text, u.char_start + 1, u.char_end - u.char_start) = t.text`;

describe("a revision of many segments", () => {
  it("K7.1 K8.4 is seen as a whole at its commit, each unit the slice of its own segment", async () => {
    const test = await open();
    const { registry, values, rows } = test;
    const segments = segmentsFor("big", big);
    const staging = await registry.stage(baseId, {
      materialId: "big",
      relativePath: "big.log",
      format: "text",
    });
    for (const segment of segments) {
      await staging.add(segment);
      expect(await materials(registry)).toEqual({});
      expect(await registry.check(baseId)).toMatchObject({ ok: true });
    }
    const { contentHash, units } = await staging.commit();
    expect(units).toBe(120);
    expect(contentHash).toBe(documentHash(segments.map((segment) => segment.contentHash)));
    expect(await materials(registry)).toEqual({ big: contentHash });
    expect(values(SLICES)).toEqual([120]);
    const lengths = segments.map((segment) => segment.text.length);
    expect(rows("SELECT char_start, line_start, unit_start FROM content_segment ORDER BY seq")).toEqual([
      { char_start: 0, line_start: 1, unit_start: 0 },
      { char_start: lengths[0], line_start: 41, unit_start: 40 },
      { char_start: lengths[0]! + lengths[1]!, line_start: 81, unit_start: 80 },
    ]);
    await swept(test);
    expect(await registry.counts(baseId)).toEqual({ materials: 1, units: 120 });
  });

  it("K7.6 an append keeps the ids and numbers of what stays, and asks for vectors of the new alone", async () => {
    const test = await open();
    const { registry, values } = test;
    await stageAll(registry, "big", segmentsFor("big", big));
    const known = values("SELECT unit_id || number FROM unit_number ORDER BY 1");
    const longer = segmentsFor("big", [...big.slice(0, 2), [...big[2]!, "an appended line"]]);
    const hashes = longer.flatMap(({ units }) => units.map((unit) => unit.textHash));
    expect(await registry.missingVectors(baseId, hashes)).toHaveLength(1);
    await stageAll(registry, "big", longer);
    await swept(test);
    const now = new Set(values("SELECT unit_id || number FROM unit_number"));
    expect(known.filter((one) => now.has(one))).toHaveLength(80);
    expect(await registry.counts(baseId)).toEqual({ materials: 1, units: 121 });
    expect(values(SLICES)).toEqual([121]);
  });

  it("K8.5 a commit goes in many turns of the event loop, also where nearly everything stays", async () => {
    // No time at all: each step ends its turn.
    const { registry } = await open(0);
    const many = Array.from({ length: 40 }, (_, at) => chunksOf(`s${at}`, 50, 3));
    await stageAll(registry, "big", segmentsFor("big", many));
    const head = { materialId: "big", relativePath: "big.log", format: "text" };
    const staging = await registry.stage(baseId, head);
    for (const segment of segmentsFor("big", [...many, ["one more"]])) await staging.add(segment);
    expect(await countTurns(() => staging.commit())).toBeGreaterThan(15);
  });

  it("K8.5 the revision before answers until the commit, and after a discard", async () => {
    const test = await open();
    const { registry, values } = test;
    const first = await stageAll(registry, "big", segmentsFor("big", big));
    const head = { materialId: "big", relativePath: "big.log", format: "text" };
    const discarded = await registry.stage(baseId, head);
    await discarded.add(segmentsFor("big", [["other"]])[0]!);
    expect(await materials(registry)).toEqual({ big: first });
    expect(values("SELECT count(*) FROM hidden_units")).toEqual([1]);
    discarded.discard();
    await swept(test);
    expect(await materials(registry)).toEqual({ big: first });
    expect(await registry.counts(baseId)).toEqual({ materials: 1, units: 120 });
    const second = await stageAll(registry, "big", segmentsFor("big", [["other", "one more"], big[1]!]));
    expect(await materials(registry)).toEqual({ big: second });
    await swept(test);
    expect(values("SELECT count(*) FROM content")).toEqual([2]);
    expect(await registry.counts(baseId)).toEqual({ materials: 1, units: 42 });
    expect(await registry.check(baseId)).toMatchObject({ ok: true, units: 42, vectors: 42 });
  });

  it("K8.5 the same text at two places is stored once, and each place has its own units", async () => {
    const test = await open();
    const { registry, values } = test;
    await stageAll(registry, "big", segmentsFor("big", [["same"], ["same"], ["same"]]));
    await stageAll(registry, "twin", segmentsFor("twin", [["same"]]));
    expect(values("SELECT count(*) FROM content")).toEqual([1]);
    expect(values("SELECT count(*) FROM embedding")).toEqual([1]);
    await registry.remove(baseId, ["big"]);
    expect(await registry.check(baseId)).toMatchObject({ ok: true, units: 1, vectors: 1 });
  });

  it("K8.5 takes the place of a revision of one text, and gives it back", async () => {
    const test = await open();
    const { registry } = test;
    await registry.commit(baseId, [revision("big", big[0]!)]);
    await stageAll(registry, "big", segmentsFor("big", big), "big.md");
    await swept(test);
    expect(await registry.counts(baseId)).toEqual({ materials: 1, units: 120 });
    await registry.commit(baseId, [revision("big", ["small again", big[0]![0]!])]);
    await swept(test);
    expect(await registry.check(baseId)).toMatchObject({ ok: true, units: 2, vectors: 2 });
  });

  it("takes a new title of chunks that stay at once", async () => {
    const test = await open();
    const { registry, values } = test;
    await stageAll(registry, "big", segmentsFor("big", big));
    await stageAll(
      registry,
      "big",
      segmentsFor("big", big, { title: "renamed", path: "new.log" }),
      "new.log",
    );
    await swept(test);
    expect(values("SELECT DISTINCT title FROM search_unit")).toEqual(["renamed"]);
    expect(values("SELECT count(*) FROM unit_words WHERE unit_words MATCH 'title: renamed'")).toEqual([120]);
  });

  it("K8.4 rejects what can't be stored, and goes on", async () => {
    const test = await open();
    const { registry } = test;
    const head = { materialId: "big", relativePath: "big.log", format: "text" };
    const staging = await registry.stage(baseId, head);
    const [first, second] = segmentsFor("big", big);
    await expect(staging.add(second!)).rejects.toThrow("do not run on");
    await expect(staging.add({ ...first!, vectors: new Map() })).rejects.toThrow(MissingVectors);
    await expect(staging.add({ ...first!, text: "short" })).rejects.toThrow(RevisionRejected);
    await expect(staging.commit()).rejects.toThrow("no chunks");
    await staging.add(first!);
    await staging.commit();
    await swept(test);
    expect(await registry.counts(baseId)).toEqual({ materials: 1, units: 40 });
  });

  it("an index that is made again meanwhile takes nothing more of it", async () => {
    const test = await open();
    const { registry } = test;
    const staging = await registry.stage(baseId, { materialId: "a", relativePath: "a", format: "text" });
    await registry.recreate(baseId, "for a test");
    await expect(staging.add(segmentsFor("a", big)[0]!)).rejects.toThrow("made again");
    staging.discard();
    expect(await registry.check(baseId)).toMatchObject({ ok: true, units: 0 });
  });

  it("what a stop has cut off is removed at the next opening, and staged again without it", async () => {
    const test = await open();
    const first = await stageAll(test.registry, "big", segmentsFor("big", big.slice(0, 1)));
    for (const materialId of ["big", "new"]) {
      const head = { materialId, relativePath: `${materialId}.log`, format: "text" };
      const staging = await test.registry.stage(baseId, head);
      await staging.add(segmentsFor(materialId, big)[0]!);
      await staging.add(segmentsFor(materialId, big)[1]!);
    }
    await test.registry.close();
    const registry = test.reopen();
    await registry.open(baseId);
    expect(await materials(registry)).toEqual({ big: first });
    const again = await stageAll(registry, "new", segmentsFor("new", big));
    await swept({ ...test, registry });
    expect(await materials(registry)).toEqual({ big: first, new: again });
    expect(await registry.counts(baseId)).toEqual({ materials: 2, units: 160 });
  });

  it("K8.6 what is discarded just when the removal of another ends is removed too", async () => {
    const test = await open();
    const stageOne = async (materialId: string) => {
      const staging = await test.registry.stage(baseId, {
        materialId,
        relativePath: materialId,
        format: "text",
      });
      for (const segment of segmentsFor(materialId, [[`text of ${materialId}`]])) await staging.add(segment);
      return staging;
    };
    for (let turns = 0; turns < 16; turns++) {
      const [one, other] = [await stageOne(`one-${turns}`), await stageOne(`other-${turns}`)];
      one.discard();
      for (let turn = 0; turn < turns; turn++) await nextTurn();
      other.discard();
      await swept(test);
    }
    expect(await test.registry.counts(baseId)).toMatchObject({ materials: 0, units: 0 });
  });

  it("K8.6 is removed over many turns, and no step leaves an orphan (K8.8)", async () => {
    const test = await open();
    const { registry } = test;
    const many = Array.from({ length: 30 }, (_, at) => chunksOf(`s${at}`, 20));
    await stageAll(registry, "big", segmentsFor("big", many));
    const stop = new AbortController();
    let turns = 0;
    const turn = (): void => {
      if (++turns === 3) stop.abort();
      else setImmediate(turn);
    };
    setImmediate(turn);
    await registry.remove(baseId, ["big"], { signal: stop.signal }).catch(() => undefined);
    expect((await registry.counts(baseId)).units).toBeGreaterThan(0);
    expect(await registry.check(baseId)).toMatchObject({ problems: [] });
    expect(await countTurns(() => registry.remove(baseId, ["big"]))).toBeGreaterThan(2);
    expect((await registry.counts(baseId)).units).toBe(0);
    expect(test.values("SELECT count(*) FROM content")).toEqual([0]);
    await swept(test);
  });

  it("K11.1 is renamed with its path at once and its words after it", async () => {
    const test = await open();
    const { registry, values } = test;
    await stageAll(registry, "big", segmentsFor("big", big));
    await registry.rename(baseId, "big", "elsewhere/zebra.log");
    expect(values("SELECT relative_path FROM material")).toEqual(["elsewhere/zebra.log"]);
    expect(values("SELECT count(*) FROM unit_words WHERE unit_words MATCH 'title: zebra'")).toEqual([120]);
    expect(values("SELECT count(*) FROM unit_words")).toEqual([120]);
    await swept(test);
  });

  it("K11.1 words that a stop has left behind follow at the next opening", async () => {
    const test = await open();
    await stageAll(test.registry, "big", segmentsFor("big", big));
    const renaming = test.registry.rename(baseId, "big", "zebra.log").catch(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
    await test.registry.close();
    await renaming;
    const registry = test.reopen();
    await registry.open(baseId);
    const renamed = test.values("SELECT relative_path FROM material").includes("zebra.log");
    await eventually(() => {
      const found = test.values("SELECT count(*) FROM unit_words WHERE unit_words MATCH 'title: zebra'");
      expect(found).toEqual([renamed ? 120 : 0]);
      return true;
    });
    await swept({ ...test, registry });
  });

  it("base.check finds a segment that is not what it was", async () => {
    const test = await open();
    const { registry, tamper } = test;
    await stageAll(registry, "big", segmentsFor("big", big));
    tamper(
      "UPDATE content SET text = text || 'x' WHERE content_hash = (SELECT content_hash FROM content_segment WHERE seq = 1)",
    );
    const { problems } = await registry.check(baseId);
    expect(problems.map(({ kind }) => kind)).toEqual(["content-damaged"]);
    tamper("UPDATE content_segment SET char_start = 7 WHERE seq = 2");
    expect((await registry.check(baseId)).problems.map(({ kind }) => kind)).toContain("segment-out-of-place");
  });
});
