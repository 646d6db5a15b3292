import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openTestRegistry, revision, sha256 } from "../support/index-revision.ts";

const ids = ["a", "b", "c", "d"] as const;
const id = fc.constantFrom(...ids);
const chunks = fc.array(fc.constantFrom("alpha", "beta beta", "gamma γ", "δelta 🎈"), {
  minLength: 1,
  maxLength: 5,
});
const path = fc.constantFrom("x.md", "y.md", "dir/z.md", "w.txt");

type Step =
  | { kind: "commit"; entries: { id: string; chunks: string[]; path: string; bad: boolean }[] }
  | { kind: "remove"; ids: string[] }
  | { kind: "rename"; id: string; path: string }
  | { kind: "upkeep" };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant("commit" as const),
    entries: fc.array(fc.record({ id, chunks, path, bad: fc.boolean() }), { minLength: 1, maxLength: 4 }),
  }),
  fc.record({ kind: fc.constant("remove" as const), ids: fc.array(id, { maxLength: 3 }) }),
  fc.record({ kind: fc.constant("rename" as const), id, path }),
  fc.constant({ kind: "upkeep" as const }),
);

describe("any history", () => {
  it("K8.4 K8.5 K8.8 leaves exactly what a model says, with no orphan", async () => {
    const test = openTestRegistry({ sliceMs: 0 });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), fc.boolean(), async (steps, substring) => {
        const base = `run-${run++}`;
        const { registry } = test;
        await registry.create(base, { substring });
        const model = new Map<string, string[]>();
        for (const next of steps) await apply(registry, base, next, model);
        const distinct = new Set([...model.values()].flat());
        const units = [...model.values()].reduce((sum, list) => sum + list.length, 0);
        expect(await registry.check(base)).toEqual({ ok: true, problems: [], units, vectors: distinct.size });
        expect(await registry.counts(base)).toEqual({ materials: model.size, units });
        const found = new Map<string, string | null>();
        await registry.materials(base, (slice) =>
          slice.forEach((row) => found.set(row.materialId, row.contentHash)),
        );
        expect(found).toEqual(new Map([...model].map(([key, list]) => [key, sha256(list.join("\n\n"))])));
        await registry.destroy(base);
      }),
      { numRuns: 60 },
    );
    expect(test.recreated).toEqual([]);
  });
});

async function apply(
  registry: ReturnType<typeof openTestRegistry>["registry"],
  base: string,
  next: Step,
  model: Map<string, string[]>,
): Promise<void> {
  if (next.kind === "commit") {
    const revisions = next.entries.map((entry) => {
      const good = revision(entry.id, entry.chunks, { path: entry.path });
      return entry.bad ? { ...good, units: good.units.map((unit) => ({ ...unit, charEnd: 10_000 })) } : good;
    });
    const outcomes = await registry.commit(base, revisions);
    const wrong = next.entries.filter((entry, at) => entry.bad === (outcomes[at]?.error === null));
    if (wrong.length > 0) throw new Error(`unexpected outcome of ${JSON.stringify(wrong)}`);
    for (const entry of next.entries) if (!entry.bad) model.set(entry.id, entry.chunks);
  }
  if (next.kind === "remove") {
    await registry.remove(base, next.ids);
    for (const gone of next.ids) model.delete(gone);
  }
  if (next.kind === "rename") await registry.rename(base, next.id, next.path);
  if (next.kind === "upkeep") {
    await registry.merge(base);
    await registry.reclaim(base, { force: true });
  }
}
