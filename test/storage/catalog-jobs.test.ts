import { describe, expect, it } from "vitest";
import type { Item } from "../../rpc/contract/items.ts";
import type { IngestDeps } from "../../daemon/ingest/ingest-deps.ts";
import { recover } from "../../daemon/recover.ts";
import type { ClaimedJob, JobStore } from "../../daemon/storage/catalog/contract.ts";
import { refusalOf, useCatalog } from "../support/catalog-fixture.ts";

describe("jobs", () => {
  const at = useCatalog();
  const jobs = (): JobStore => at.catalog.jobs;

  function claim(over: Partial<Parameters<JobStore["claim"]>[0]> = {}): ClaimedJob[] {
    return jobs().claim({ now: at.clock.now, limit: 64, kind: "index", suspects: false, ...over });
  }
  function claimedItems(over: Partial<Parameters<JobStore["claim"]>[0]> = {}): string[] {
    return claim(over).map((job) => job.itemId);
  }
  function files(count: number): Item[] {
    return Array.from({ length: count }, (_, n) => at.file(`f${n}.md`));
  }

  it("a burst on one item is one job, which takes the better priority and the new time", () => {
    const [a, b] = files(2) as [Item, Item];
    expect(jobs().enqueue([at.job(a), at.job(b), at.job(a)])).toBe(2);
    expect(jobs().enqueue([at.job(a, { priority: 10, runAfter: 99 }), at.job(a, { kind: "delete" })])).toBe(
      1,
    );
    expect(
      jobs()
        .list({ limit: 10 })
        .items.map(({ itemId, kind, priority, runAfter }) => [itemId, kind, priority, runAfter]),
    ).toEqual([
      [a.id, "delete", 20, at.clock.now],
      [b.id, "index", 20, at.clock.now],
      [a.id, "index", 10, 99],
    ]);
    at.raw((database) => {
      const twin = database.prepare(
        "INSERT INTO job (kind, state, base_id, item_id, priority, run_after, created_at) VALUES ('index', 'queued', ?, ?, 1, 1, 1)",
      );
      expect(() => twin.run(a.baseId, a.id)).toThrow(/UNIQUE/);
    });
  });

  it("an item with a running job is not handed out again until that one ends", () => {
    const [a] = files(1) as [Item];
    jobs().enqueue([at.job(a)]);
    const [first] = claim() as [ClaimedJob];
    expect(first).toMatchObject({ state: "running", attempts: 1, suspect: false, lonelyCrashes: 0 });
    expect(jobs().enqueue([at.job(a), at.job(a, { kind: "delete", priority: 0 })])).toBe(2);
    expect([claimedItems(), claimedItems({ kind: "delete" })]).toEqual([[], []]);
    jobs().finish([first.id]);
    expect(claimedItems({ kind: "delete" })).toEqual([a.id]);
  });

  it("K4.6 a claim is written down before it is handed out, and after a crash the job runs again", () => {
    const [a, b] = files(2) as [Item, Item];
    jobs().enqueue([at.job(a), at.job(b)]);
    const [first] = claim({ limit: 1 });
    const store = at.reopen("crashed").jobs;
    expect(store.counts()).toEqual({ queued: 1, running: 1, parked: 0, failed: 0 });
    expect(store.recover(at.clock.now)).toBe(1);
    expect(claim().map(({ id, attempts, suspect }) => [id, attempts, suspect])).toEqual([
      [first?.id, 2, false],
      [(first?.id ?? 0) + 1, 1, false],
    ]);
  });

  it("K4.6 what was in flight at two crashes is a suspect, and runs alone", () => {
    const [a, b] = files(2) as [Item, Item];
    jobs().enqueue([at.job(a), at.job(b)]);
    claim();
    jobs().recover(at.clock.now);
    claim({ limit: 1 });
    at.reopen("crashed").jobs.recover(at.clock.now);
    expect(claimedItems()).toEqual([b.id]);
    expect(claim({ suspects: true, limit: 5 })).toMatchObject([{ itemId: a.id, suspect: true, attempts: 3 }]);
  });

  it("K4.6 a started delete is neither suspect, nor given up, nor cancelled, nor parked", () => {
    const [a] = files(1) as [Item];
    jobs().enqueue([at.job(a, { kind: "delete", priority: 0 })]);
    for (let crash = 0; crash < 3; crash++) {
      expect(claimedItems({ kind: "delete" })).toEqual([a.id]);
      jobs().recover(at.clock.now);
    }
    const [job] = claim({ kind: "delete" }) as [ClaimedJob];
    jobs().fail(job.id, "the disk is full");
    expect(jobs().get(job.id)).toMatchObject({ state: "queued", error: "the disk is full" });
    const delays = [jobs().get(job.id)?.runAfter ?? 0];
    expect(delays[0]).toBeGreaterThan(at.clock.now);
    jobs().park([job.id], "wait");
    expect(jobs().get(job.id)?.state).toBe("queued");
    expect(refusalOf(() => jobs().cancel(job.id))?.errorName).toBe("ITEM_DELETING");
    expect(jobs().cancelOfItems([a.id])).toEqual([]);
    expect(jobs().cancelOfBase(at.base.id)).toEqual([]);
    at.raw((database) => {
      expect(() => database.exec("UPDATE job SET state = 'failed'")).toThrow(/CHECK/);
    });
  });

  it("a retry keeps or undoes the attempt; one that was queued anew meanwhile becomes one with it, due at its time", () => {
    const [a] = files(1) as [Item];
    jobs().enqueue([at.job(a)]);
    const [job] = claim() as [ClaimedJob];
    jobs().retry(job.id, 50, "busy");
    expect(jobs().get(job.id)).toMatchObject({ state: "queued", attempts: 1, runAfter: 50, error: "busy" });
    claim();
    jobs().retry(job.id, 60, null, { attempt: "undo" });
    expect(jobs().get(job.id)).toMatchObject({ attempts: 1, runAfter: 60, error: null });
    claim();
    jobs().enqueue([at.job(a, { priority: 10, runAfter: 70 })]);
    jobs().retry(job.id, 9_999, "busy");
    expect(jobs().list({ limit: 10 }).items).toMatchObject([
      { id: job.id, priority: 10, runAfter: 70, attempts: 0, error: null },
    ]);
    jobs().retry(12_345, 1, null);
  });

  it("suspects are claimed one at a time and only when asked for, with their history", () => {
    const [a, b, c] = files(3) as [Item, Item, Item];
    jobs().enqueue([a, b, c].map((item) => at.job(item)));
    const [one, two] = claim() as [ClaimedJob, ClaimedJob, ClaimedJob];
    jobs().markSuspects([one.id, two.id], {
      lonely: false,
      error: "the host crashed",
      runAfter: at.clock.now,
    });
    expect(claimedItems()).toEqual([]);
    const [first] = claim({ suspects: true, limit: 10 }) as [ClaimedJob];
    expect(first).toMatchObject({ itemId: a.id, suspect: true, lonelyCrashes: 0 });
    jobs().markSuspects([first.id], { lonely: true, error: "the host crashed", runAfter: at.clock.now + 5 });
    expect(claim({ suspects: true })).toMatchObject([{ itemId: b.id }]);
    expect(claim({ suspects: true })).toEqual([]);
    expect(claim({ suspects: true, now: at.clock.now + 5 })).toMatchObject([
      { itemId: a.id, lonelyCrashes: 1 },
    ]);
  });

  it("failed and parked jobs wait for a word, begin anew, and give way to new work on their item", () => {
    const [a, b, c] = files(3) as [Item, Item, Item];
    jobs().enqueue([a, b, c].map((item) => at.job(item)));
    const [one, two, three] = claim().map((job) => job.id) as [number, number, number];
    jobs().fail(one, "corrupt");
    jobs().park([two], "indexing_interrupted");
    jobs().fail(three, "corrupt");
    expect(jobs().counts()).toEqual({ queued: 0, running: 0, parked: 1, failed: 2 });
    expect(
      jobs()
        .list({ limit: 10, state: "failed" })
        .items.map((job) => job.id),
    ).toEqual([three, one]);
    expect(jobs().enqueue([at.job(c)])).toBe(1);
    expect([jobs().retryAll("failed"), jobs().retryAll("parked")]).toEqual([1, 1]);
    expect(jobs().get(one)).toMatchObject({
      state: "queued",
      attempts: 0,
      error: null,
      runAfter: at.clock.now,
    });
    expect(jobs().counts()).toEqual({ queued: 3, running: 0, parked: 0, failed: 0 });
  });

  it("P10 new work on an item has its attempts before it, whether its job waits or runs; a delete keeps them", () => {
    const [a, b, c] = files(3) as [Item, Item, Item];
    jobs().enqueue([at.job(a), at.job(b), at.job(c, { kind: "delete", priority: 0 })]);
    const claimed = claim().map((job) => job.id) as [number, number];
    const crashed = { lonely: true, error: "crashed", runAfter: at.clock.now };
    jobs().markSuspects(claimed, crashed);
    const [first] = claim({ suspects: true }) as [ClaimedJob];
    expect(first).toMatchObject({ itemId: a.id, attempts: 2, lonelyCrashes: 1 });
    jobs().enqueue([at.job(a), at.job(b)]);
    jobs().markSuspects([first.id], crashed);
    const again = [claim({ suspects: true }), claim({ suspects: true })].flat();
    expect(again).toMatchObject([
      { itemId: a.id, attempts: 1, suspect: true, lonelyCrashes: 0 },
      { itemId: b.id, attempts: 1, suspect: true, lonelyCrashes: 0 },
    ]);
    const [purge] = claim({ kind: "delete" }) as [ClaimedJob];
    jobs().retry(purge.id, at.clock.now, "busy");
    jobs().enqueue([at.job(c, { kind: "delete", priority: 0 })]);
    expect(jobs().get(purge.id)?.attempts).toBe(1);
  });

  it("P10 a job that was in flight keeps its attempts and crashes over a restart", () => {
    const [a] = files(1) as [Item];
    jobs().enqueue([at.job(a)]);
    const [job] = claim() as [ClaimedJob];
    jobs().markSuspects([job.id], { lonely: true, error: "crashed", runAfter: at.clock.now });
    claim({ suspects: true });
    at.catalog.items.setStatus([a.id], "reading");
    at.reopen("crashed");
    // Recovering needs no more than these.
    const deps = {
      catalog: at.catalog,
      registry: { indexPath: () => "/none/index.sqlite" },
      queue: at.catalog.jobs,
      models: { get: () => undefined },
      now: () => at.clock.now,
    };
    recover(deps as unknown as IngestDeps);
    expect(claim({ suspects: true })).toMatchObject([{ itemId: a.id, attempts: 3, lonelyCrashes: 1 }]);
  });

  it("a job that fails after its item was queued again leaves the word to the newer one", () => {
    const [a] = files(1) as [Item];
    jobs().enqueue([at.job(a)]);
    const [job] = claim() as [ClaimedJob];
    jobs().enqueue([at.job(a)]);
    jobs().fail(job.id, "corrupt");
    expect(jobs().get(job.id)).toBeUndefined();
    expect(jobs().counts()).toMatchObject({ queued: 1, failed: 0 });
  });

  it("a cancelled job is gone, running or not, and what comes late for it does nothing", () => {
    const items = files(4);
    jobs().enqueue(items.map((item) => at.job(item)));
    const [running] = claim({ limit: 1 }) as [ClaimedJob];
    jobs().cancel(running.id);
    jobs().finish([running.id]);
    jobs().fail(running.id, "late");
    jobs().markSuspects([running.id], { lonely: true, error: "late", runAfter: 0 });
    expect(refusalOf(() => jobs().cancel(running.id))?.errorName).toBe("JOB_NOT_FOUND");
    expect(jobs().cancelOfItems([items[1]?.id as string, "none"])).toHaveLength(1);
    expect(jobs().cancelOfBase(at.base.id)).toHaveLength(2);
    expect(jobs().counts()).toEqual({ queued: 0, running: 0, parked: 0, failed: 0 });
  });

  it("P8 outstanding counts what a sync must wait for: all that is queued or running, but no failure's repetition", () => {
    const source = at.source();
    const items = [0, 1, 2, 3].map((n) => at.file(`s${n}`, { sourceId: source.id }));
    const elsewhere = at.file("else");
    jobs().enqueue([...items, elsewhere].map((item) => at.job(item)));
    const upToId = jobs().lastId();
    const left = (): { pending: number; failing: number } =>
      jobs().outstanding({ sourceIds: [source.id], upToId });
    expect(left()).toEqual({ pending: 4, failing: 0 });
    expect(jobs().outstanding({ sourceIds: null, upToId })).toEqual({ pending: 5, failing: 0 });
    const [one, two, three] = claim() as [ClaimedJob, ClaimedJob, ClaimedJob];
    jobs().retry(one.id, 9_999, "the disk is busy");
    jobs().markSuspects([two.id], { lonely: false, error: "crashed", runAfter: 0 });
    jobs().finish([three.id]);
    expect(left()).toEqual({ pending: 2, failing: 1 });
    jobs().enqueue([at.job(items[0] as Item), at.job(at.file("later", { sourceId: source.id }))]);
    expect(left()).toEqual({ pending: 3, failing: 0 });
    expect(jobs().outstanding({ sourceIds: [], upToId })).toEqual({ pending: 0, failing: 0 });
  });

  it("K4.4 jobs page newest first, by base and state", () => {
    jobs().enqueue(files(5).map((item) => at.job(item)));
    const first = jobs().list({ limit: 3, baseIds: [at.base.id], state: "queued" });
    const rest = jobs().list({ limit: 3, cursor: first.cursor });
    expect([...first.items, ...rest.items].map((job) => job.id)).toEqual([5, 4, 3, 2, 1]);
    expect(rest.cursor).toBeUndefined();
    expect(jobs().list({ limit: 3, baseIds: ["none"] }).items).toEqual([]);
    expect(jobs().list({ limit: 3, baseIds: [] }).items).toEqual([]);
    expect(jobs().countsOf([at.base.id])).toEqual(jobs().counts());
    expect(jobs().countsOf(["none"])).toEqual({ queued: 0, running: 0, parked: 0, failed: 0 });
  });

  it("a job leaves with its item, and its number is never used again", () => {
    const [a, b] = files(2) as [Item, Item];
    jobs().enqueue([at.job(a)]);
    at.catalog.items.beginDelete([a.id]);
    at.catalog.items.remove([a.id]);
    expect(jobs().counts().queued).toBe(0);
    jobs().enqueue([at.job(b)]);
    expect([jobs().list({ limit: 1 }).items[0]?.id, jobs().lastId()]).toEqual([2, 2]);
  });
});
