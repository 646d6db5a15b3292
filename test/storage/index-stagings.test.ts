import { describe, expect, it } from "vitest";
import { RevisionRejected, type Staging } from "../../daemon/storage/index/contract.ts";
import { eventually } from "../support/eventually.ts";
import {
  baseId,
  chunksOf,
  openTestRegistry,
  revision,
  type TestRegistry,
} from "../support/index-revision.ts";
import { segmentsFor, stageAll } from "../support/index-segments.ts";

const earlier = segmentsFor("big", [chunksOf("a", 20), chunksOf("b", 20), chunksOf("c", 20)]);
const later = segmentsFor("big", [chunksOf("a", 20), chunksOf("b", 20), chunksOf("d", 20)]);

async function open(): Promise<TestRegistry> {
  const test = openTestRegistry({ sliceMs: 2 });
  await test.registry.create(baseId, { substring: false });
  return test;
}

const stage = ({ registry }: TestRegistry, materialId = "big"): Promise<Staging> =>
  registry.stage(baseId, { materialId, relativePath: `${materialId}.log`, format: "text" });

/** Nothing is left of what gave way, and all that answers is whole. */
async function isWhole({ registry, values }: TestRegistry, units: number): Promise<void> {
  await eventually(async () => {
    expect(values("SELECT * FROM unseen_material")).toEqual([]);
    expect(values("SELECT * FROM hidden_units")).toEqual([]);
    expect(await registry.check(baseId)).toMatchObject({ ok: true, problems: [], units });
    return true;
  });
  expect(values("SELECT unit_index FROM search_unit ORDER BY 1")).toEqual(
    Array.from({ length: units }, (_, at) => at),
  );
}

describe("two revisions of one material at once", () => {
  it.each([
    ["that no revision answers for", false],
    ["that a revision answers for", true],
  ])(
    "K8.4 of a material %s, the staging that was begun last is whole, and the other is refused",
    async (_, answers) => {
      for (const when of ["begun", "written", "discarded first"] as const) {
        const test = await open();
        if (answers) await stageAll(test.registry, "big", segmentsFor("big", [chunksOf("a", 20), ["old"]]));
        const first = await stage(test);
        for (const segment of earlier.slice(0, when === "begun" ? 0 : 2)) await first.add(segment);
        const second = await stage(test);
        await second.add(later[0]!);
        await expect(first.add(earlier[when === "begun" ? 0 : 2]!)).rejects.toThrow(RevisionRejected);
        if (when === "discarded first") first.discard();
        await second.add(later[1]!);
        await expect(first.commit()).rejects.toThrow("meanwhile");
        await second.add(later[2]!);
        expect((await second.commit()).units).toBe(60);
        first.discard();
        await isWhole(test, 60);
        expect(test.values("SELECT count(*) FROM search_text WHERE text LIKE 'd%'")).toEqual([20]);
      }
    },
  );

  it("K8.4 K8.5 a revision of one text that came in meanwhile stays, whatever the staged one has kept", async () => {
    const test = await open();
    await stageAll(test.registry, "big", earlier);
    const staging = await stage(test);
    for (const segment of later) await staging.add(segment);
    await test.registry.commit(baseId, [revision("big", chunksOf("short", 30))]);
    await expect(staging.commit()).rejects.toThrow("meanwhile");
    staging.discard();
    await isWhole(test, 30);
  });

  it.each([
    ["that no revision answers for", false],
    ["that a revision answers for", true],
  ])("K8.8 the removal of a material %s ends its staging, and leaves nothing of it", async (_, answers) => {
    const test = await open();
    if (answers) await stageAll(test.registry, "big", earlier);
    const [staging, other] = [await stage(test), await stage(test, "other")];
    for (const segment of later) await staging.add(segment);
    for (const segment of segmentsFor("other", [chunksOf("o", 5)])) await other.add(segment);
    await test.registry.remove(baseId, ["nobody", "big"]);
    await expect(staging.commit()).rejects.toThrow("meanwhile");
    staging.discard();
    await other.commit();
    await isWhole(test, 5);
    expect(await test.registry.counts(baseId)).toEqual({ materials: 1, units: 5 });
  });
});
