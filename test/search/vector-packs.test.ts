import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { baseId, openTestRegistry, type TestRegistry } from "../support/index-revision.ts";
import {
  askVectors,
  loadVectors,
  PACK_UNITS,
  packAll,
  readIndex,
  wideRevision,
  wideVector,
} from "../support/wide-vectors.ts";
import { PackedVectors } from "../../workers/search/vectors/packed-vectors.ts";
import {
  checksumOf,
  decodeRun,
  encodeRun,
  packRun,
  type VectorRow,
} from "../../workers/search/vectors/vector-run.ts";

async function withPacks(count: number): Promise<TestRegistry> {
  const test = openTestRegistry();
  await test.registry.create(baseId, { substring: false });
  await test.registry.commit(baseId, [wideRevision("a", count)]);
  await packAll(test.registry);
  return test;
}

/** What is near, of vectors that are loaded from packs now; the same as of vectors that are loaded one by one. */
function expectNothingChanged({ registry }: TestRegistry): ReturnType<typeof askVectors> {
  const reader = readIndex(registry);
  const near = askVectors(reader, loadVectors(reader, { packs: true }));
  expect(near).toEqual(askVectors(reader, loadVectors(reader, { packs: false })));
  return near;
}

const usable = (test: TestRegistry): number[] =>
  test.values("SELECT units - deleted FROM vector_pack WHERE stale = 0 ORDER BY last") as number[];

const id = fc.constantFrom("b", "c");
const step = fc.oneof(
  fc.record({
    kind: fc.constant("commit" as const),
    id,
    count: fc.constantFrom(30, 200, 300),
    seed: fc.integer({ min: 1, max: 2 }),
    vectors: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("remove" as const), id }),
  fc.record({ kind: fc.constant("upkeep" as const), steps: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ kind: fc.constant("search" as const) }),
);

describe("stored packs of vectors", () => {
  it("change nothing of what is near, whatever was added, changed, deleted, or given its vector later meanwhile", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), async (steps) => {
        const test = openTestRegistry({ sliceMs: 1 });
        await test.registry.create(baseId, { substring: false });
        await test.registry.commit(baseId, [wideRevision("first", PACK_UNITS + 50)]);
        const reader = readIndex(test.registry);
        const [open, plain] = [loadVectors(reader, { packs: true }), loadVectors(reader, { packs: false })];
        const seen: ReturnType<typeof askVectors>[][] = [];
        for (const one of steps) {
          if (one.kind === "commit")
            await test.registry.commit(baseId, [wideRevision(one.id, one.count, one)]);
          else if (one.kind === "remove") await test.registry.remove(baseId, [one.id]);
          else if (one.kind === "search") seen.push([askVectors(reader, open), askVectors(reader, plain)]);
          else for (let at = 0; at < one.steps && (await test.registry.merge(baseId)); at++);
        }
        expectNothingChanged(test);
        await packAll(test.registry);
        expectNothingChanged(test);
        expect((await test.registry.check(baseId)).problems).toEqual([]);
        seen.push([askVectors(reader, open), askVectors(reader, plain)]);
        for (const [near, nearPlain] of seen) expect(near).toEqual(nearPlain);
        await test.registry.close();
      }),
      { numRuns: 10 },
    );
  });

  it("hold all units but the newest few, each whether its vector has a direction or not", async () => {
    const test = await withPacks(2 * PACK_UNITS + 100);
    expect(usable(test)).toEqual([PACK_UNITS, PACK_UNITS]);
    const [query] = expectNothingChanged(test);
    expect(query?.loaded.loaded).toBeLessThan(2 * PACK_UNITS + 100);
  });

  it.each([
    ["loses its vector", true, false],
    ["gets its vector later", false, true],
  ])("K8.4 are made anew when a unit %s", async (_, before, after) => {
    const test = await withPacks(PACK_UNITS);
    await test.registry.commit(baseId, [wideRevision("b", PACK_UNITS, { vectors: before })]);
    await packAll(test.registry);
    expect(usable(test)).toEqual([PACK_UNITS, PACK_UNITS]);
    await test.registry.commit(baseId, [wideRevision("b", PACK_UNITS, { vectors: after })]);
    expect(usable(test)).toEqual([PACK_UNITS]);
    const found = expectNothingChanged(test);
    await packAll(test.registry);
    expect(usable(test)).toEqual([PACK_UNITS, PACK_UNITS]);
    expect(expectNothingChanged(test)).toEqual(found);
  });

  it.each([
    ["deleted", (test: TestRegistry) => test.registry.remove(baseId, ["a"])],
    [
      "changed",
      (test: TestRegistry) => test.registry.commit(baseId, [wideRevision("a", 200, { vectors: false })]),
    ],
  ])("hold nothing that was %s while they were made", async (_, change) => {
    const test = openTestRegistry({ sliceMs: 0.02 });
    await test.registry.create(baseId, { substring: false });
    await test.registry.commit(baseId, [
      wideRevision("a", 200),
      wideRevision("b", 200),
      wideRevision("c", 200),
    ]);
    for (let at = 0; at < 7; at++) expect(await test.registry.merge(baseId)).toBe(true);
    expect(usable(test)).toEqual([]);
    await change(test);
    await packAll(test.registry);
    expect(usable(test)).toContain(PACK_UNITS);
    expectNothingChanged(test);
  });

  it("K8.6 name deleted units no longer, and are made anew when many are: what is left finds room in fewer", async () => {
    const test = await withPacks(PACK_UNITS);
    const { registry } = test;
    for (const id of ["b", "c", "d"]) await registry.commit(baseId, [wideRevision(id, PACK_UNITS / 2)]);
    await registry.commit(baseId, [wideRevision("e", PACK_UNITS / 4)]);
    await packAll(registry);
    expect(usable(test)).toEqual([PACK_UNITS, PACK_UNITS]);
    await registry.remove(baseId, ["e", "d", "b"]);
    expect(usable(test)).toEqual([PACK_UNITS, PACK_UNITS / 2]);
    const found = expectNothingChanged(test);
    await packAll(registry);
    expect(test.rows("SELECT units, deleted, stale FROM vector_pack")).toEqual([
      { units: PACK_UNITS, deleted: 0, stale: 0 },
      { units: PACK_UNITS / 2, deleted: 0, stale: 0 },
    ]);
    expect(expectNothingChanged(test)).toEqual(found);
    await registry.remove(baseId, ["a"]);
    await packAll(registry);
    expect(usable(test)).toEqual([PACK_UNITS / 2]);
    expectNothingChanged(test);
  });

  it("K3.2 of a model before are never read: they go out of use with the first vector that does", async () => {
    const test = await withPacks(2 * PACK_UNITS);
    const { registry } = test;
    const before = expectNothingChanged(test);
    let going = true;
    const left: unknown[] = [];
    const look = (): void => {
      left.push(
        ...test.rows(
          "SELECT 1 FROM vector_pack WHERE stale = 0 AND EXISTS (SELECT 1 FROM search_text WHERE embedding_text_hash IS NULL)",
        ),
      );
      if (going) setImmediate(look);
    };
    look();
    await registry.dropVectors(baseId);
    going = false;
    expect(left).toEqual([]);
    await registry.commit(baseId, [wideRevision("a", 2 * PACK_UNITS, { seed: 2 })]);
    const after = expectNothingChanged(test);
    expect(after[1]).not.toEqual(before[1]);
    await packAll(registry);
    expect(usable(test)).toEqual([PACK_UNITS, PACK_UNITS]);
    expect(expectNothingChanged(test)).toEqual(after);
  });

  it("are removed from a base that has no vectors any more", async () => {
    const test = await withPacks(2 * PACK_UNITS);
    await test.registry.dropVectors(baseId);
    await packAll(test.registry);
    expect(test.values("SELECT count(*) FROM vector_pack_bytes")).toEqual([0]);
    expect((await test.registry.check(baseId)).problems).toEqual([]);
  });

  it.each([
    ["of fewer bytes", "UPDATE vector_pack_bytes SET bytes = substr(bytes, 1, length(bytes) - 1)"],
    ["of no bytes", "UPDATE vector_pack_bytes SET bytes = x''"],
    ["with another byte", "UPDATE vector_pack_bytes SET bytes = x'7f' || substr(bytes, 2)"],
    ["with text for bytes", "UPDATE vector_pack_bytes SET bytes = 'text'"],
    ["without bytes", "DELETE FROM vector_pack_bytes"],
    ["with another checksum", "UPDATE vector_pack SET checksum = 1"],
    ["of more units", "UPDATE vector_pack SET units = units + 1"],
  ])(
    "%s: it is damaged, its units are loaded one by one, a check says so and upkeep makes it anew",
    async (_, sql) => {
      const test = await withPacks(2 * PACK_UNITS);
      const found = expectNothingChanged(test);
      test.tamper(sql);
      expect(expectNothingChanged(test)).toEqual(found);
      const { problems } = await test.registry.check(baseId);
      expect(problems).toEqual([
        { kind: "vector-pack-damaged", count: 2, example: expect.any(String) as string },
      ]);
      await packAll(test.registry);
      expect((await test.registry.check(baseId)).problems).toEqual([]);
      expect(usable(test)).toEqual([PACK_UNITS, PACK_UNITS]);
      expect(expectNothingChanged(test)).toEqual(found);
    },
  );

  it("of a format that is not known are left alone by searches, and made anew", async () => {
    const test = await withPacks(PACK_UNITS);
    test.tamper("UPDATE vector_pack SET format = 99");
    expectNothingChanged(test);
    await packAll(test.registry);
    expect(test.values("SELECT format FROM vector_pack")).not.toEqual([99]);
    expectNothingChanged(test);
  });

  it("K8.2 an index from before there were any is searched as it is, and gets them when it is opened for writing", async () => {
    const test = await withPacks(PACK_UNITS);
    await test.registry.close();
    for (const trigger of test.values("SELECT name FROM sqlite_schema WHERE type = 'trigger'"))
      test.tamper(`DROP TRIGGER ${String(trigger)}`);
    for (const table of ["vector_pack_bytes", "vector_pack"]) test.tamper(`DROP TABLE ${table}`);
    test.tamper("PRAGMA user_version = 4");
    const found = expectNothingChanged(test);
    const registry = test.reopen();
    await packAll(registry);
    expect(test.recreated).toEqual([]);
    expect(usable(test)).toEqual([PACK_UNITS]);
    expect(expectNothingChanged(test)).toEqual(found);
  });

  it("a load that began before they were there goes on with them", async () => {
    const test = openTestRegistry();
    await test.registry.create(baseId, { substring: false });
    await test.registry.commit(baseId, [wideRevision("a", 3 * PACK_UNITS)]);
    const reader = readIndex(test.registry);
    const { lane, source } = loadVectors(reader, { packs: true });
    await test.registry.commit(baseId, [wideRevision("b", 3 * PACK_UNITS)]);
    expect(lane.refresh(source, 0).complete).toBe(false);
    await packAll(test.registry);
    await lane.loadAll(source);
    expect(askVectors(reader, { lane, source })).toEqual(
      askVectors(reader, loadVectors(reader, { packs: false })),
    );
  });
});

describe("a run of packed vectors", () => {
  const vector = fc.option(
    fc.oneof(
      fc.float32Array({ minLength: 20, maxLength: 20, noNaN: true }),
      fc.constant(new Float32Array(20)),
      fc.constant(new Float32Array()),
    ),
  );

  it("is what its vectors are one by one, also when it was written and read again", () => {
    fc.assert(
      fc.property(fc.array(vector, { maxLength: 40 }), fc.array(vector, { maxLength: 40 }), (some, more) => {
        const rows = [...some, ...more].map((one, at): VectorRow => [at * 3 + 1, one]);
        const [single, runs] = [new PackedVectors(20), new PackedVectors(20)];
        for (const [number, one] of rows) single.append(number, one);
        for (const part of [rows.slice(0, some.length), rows.slice(some.length)]) {
          const head = {
            first: part[0]?.[0] ?? 1,
            last: part.at(-1)?.[0] ?? 1,
            units: part.length,
            dimensions: 20,
          };
          const bytes = encodeRun(packRun(20, part));
          const run = decodeRun(head, checksumOf(head, bytes), bytes);
          runs.appendRun(run!);
          expect(decodeRun({ ...head, units: head.units + 1 }, checksumOf(head, bytes), bytes)).toBeNull();
        }
        expect([runs.size, runs.units]).toEqual([single.size, single.units]);
        const query = wideVector("a").subarray(0, 20);
        expect(runs.top(query, 100, null)).toEqual(single.top(query, 100, null));
        const numbers = rows.map(([number]) => number);
        expect(runs.cosines(query, numbers)).toEqual(single.cosines(query, numbers));
      }),
    );
  });
});
