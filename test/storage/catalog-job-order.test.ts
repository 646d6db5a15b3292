import { array, assert, boolean, constantFrom, integer, property, record } from "fast-check";
import { describe, expect, it } from "vitest";
import type { Item } from "../../rpc/contract/items.ts";
import type { JobStore } from "../../daemon/storage/catalog/contract.ts";
import { useCatalog } from "../support/catalog-fixture.ts";

describe("the order of jobs", () => {
  const at = useCatalog();
  const jobs = (): JobStore => at.catalog.jobs;

  function claimedItems(over: Partial<Parameters<JobStore["claim"]>[0]> = {}): string[] {
    const query = { now: at.clock.now, limit: 64, kind: "index", suspects: false, ...over } as const;
    return jobs()
      .claim(query)
      .map((job) => job.itemId);
  }
  function files(count: number): Item[] {
    return Array.from({ length: count }, (_, n) => at.file(`f${n}.md`));
  }

  it("the best priority is claimed first, then what has been due longest; what is not due waits", () => {
    const [a, b, c, d, e] = files(5) as [Item, Item, Item, Item, Item];
    const now = at.clock.now;
    jobs().enqueue([
      at.job(a, { runAfter: now - 1 }),
      at.job(b, { runAfter: now - 2 }),
      at.job(c, { priority: 10, runAfter: now }),
      at.job(d, { priority: 10, runAfter: now + 1 }),
      at.job(e, { priority: 0, runAfter: now + 500 }),
    ]);
    expect(jobs().nextDue("index")).toBe(now - 2);
    expect(claimedItems({ limit: 2 })).toEqual([c.id, b.id]);
    expect(claimedItems()).toEqual([a.id]);
    expect(claimedItems()).toEqual([]);
    expect(jobs().nextDue("index")).toBe(now + 1);
    expect(jobs().nextDue("delete")).toBeNull();
  });

  it("the order holds across bases, and excluded bases wait", () => {
    const other = at.catalog.bases.create({
      ...at.base,
      id: "00000000-0000-4000-8000-000000000000",
      name: "other",
    });
    const mine = files(3);
    const theirs = [0, 1, 2].map((n) => at.file(`g${n}`, { baseId: other.id }));
    const now = at.clock.now;
    jobs().enqueue([
      ...mine.map((item, n) => at.job(item, { runAfter: now - 2 * n })),
      ...theirs.map((item, n) => at.job(item, { runAfter: now - 1 - 2 * n })),
    ]);
    const byDue = [theirs[2], mine[2], theirs[1], mine[1], theirs[0], mine[0]].map((item) => item?.id);
    expect(claimedItems({ limit: 1, basesExcluded: [other.id] })).toEqual([mine[2]?.id]);
    expect(claimedItems({ limit: 2 })).toEqual([byDue[0], byDue[2]]);
    expect(claimedItems({ basesExcluded: [at.base.id] })).toEqual([theirs[0]?.id]);
    expect(claimedItems()).toEqual([mine[1]?.id, mine[0]?.id]);
  });

  it("claims equal a plain sort of the queue, whatever is in it", () => {
    const entry = record({
      priority: constantFrom(0, 10, 20, -5),
      delay: integer({ min: -3, max: 2 }),
      other: boolean(),
      isDelete: boolean(),
    });
    const other = at.catalog.bases.create({
      ...at.base,
      id: "00000000-0000-4000-8000-000000000000",
      name: "other",
    });
    const pool = [at.base, other].map((base) =>
      Array.from({ length: 12 }, (_, n) => at.file(`p${n}`, { baseId: base.id })),
    );
    assert(
      property(array(entry, { maxLength: 12 }), integer({ min: 1, max: 8 }), (entries, limit) => {
        at.raw((database) => database.exec("DELETE FROM job"));
        const queue = entries.map(({ priority, delay, other: isOther, isDelete }, n) =>
          at.job(pool[isOther ? 1 : 0]?.[n] as Item, {
            priority,
            runAfter: at.clock.now + delay,
            kind: isDelete ? "delete" : "index",
          }),
        );
        jobs().enqueue(queue);
        const expected = queue
          .filter((job) => job.kind === "index" && job.runAfter <= at.clock.now)
          .sort((one, two) => one.priority - two.priority || one.runAfter - two.runAfter)
          .map((job) => job.itemId);
        const got: string[] = [];
        for (let some; (some = claimedItems({ limit })).length > 0;) got.push(...some);
        expect(got).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });
});
