import { describe, expect, it } from "vitest";
import type { Item } from "../../rpc/contract/items.ts";
import type { ClaimedJob, JobStore } from "../../daemon/storage/catalog/contract.ts";
import { useCatalog } from "../support/catalog-fixture.ts";

describe("held jobs", () => {
  const at = useCatalog();
  const jobs = (): JobStore => at.catalog.jobs;
  const files = (count: number): Item[] => Array.from({ length: count }, (_, n) => at.file(`f${n}.md`));
  const claim = (limit = 64): ClaimedJob[] =>
    jobs().claim({ now: at.clock.now, limit, kind: "index", suspects: false });

  it("held work is followed in the change log from its beginning to its end, whatever ends it", () => {
    const items = files(6);
    jobs().enqueue(items.map((item) => at.job(item)));
    const ids = claim().map((job) => job.id);
    jobs().park(ids, "indexing_interrupted");
    const from = at.catalog.changes.lastSeq();
    jobs().enqueue([at.job(items[0] as Item)]);
    jobs().finish([ids[1] as number]);
    jobs().cancel(ids[2] as number);
    jobs().cancelOfItems([items[3]?.id as string]);
    jobs().retry(ids[4] as number, at.clock.now, null);
    jobs().cancelOfBase(at.base.id);
    const told = at.catalog.changes.since(from, 100).changes.filter((change) => change.entity === "job");
    expect(told.map(({ id, action, status }) => [id, action, status])).toEqual([
      [ids[0], "deleted", null],
      [ids[1], "deleted", null],
      [ids[2], "deleted", null],
      [ids[3], "deleted", null],
      [ids[4], "updated", "queued"],
      [ids[5], "deleted", null],
    ]);
  });

  it("K4.6 a job that is parked from the start waits for a word once, and leaves alone what is under way", () => {
    const [a, b, c] = files(3) as [Item, Item, Item];
    jobs().enqueue([at.job(a), at.job(b, { priority: 10 })]);
    claim(1);
    const parked = jobs().enqueueParked(
      [a, b, c].map((item) => at.job(item)),
      "indexing_interrupted",
    );
    expect(parked).toMatchObject([{ itemId: c.id, state: "parked", error: "indexing_interrupted" }]);
    expect(jobs().enqueueParked([at.job(c)], "indexing_interrupted")).toEqual(parked);
    expect(jobs().counts()).toEqual({ queued: 1, running: 1, parked: 1, failed: 0 });
    expect(claim().map((job) => job.itemId)).toEqual([a.id]);
  });
});
