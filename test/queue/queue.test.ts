import { describe, expect, it } from "vitest";
import { openQueue, PRIORITY } from "../../daemon/queue/queue.ts";
import { useCatalog } from "../support/catalog-fixture.ts";

describe("queue", () => {
  const at = useCatalog();
  const retry = { baseMs: 1000, maxMs: 60_000, maxAttempts: 3 };
  const open = () => openQueue({ jobs: at.catalog.jobs, retry, now: () => at.clock.now, random: () => 1 });
  const claim = (queue: ReturnType<typeof open>) =>
    queue.claim({ kind: "index", limit: 10, suspects: false, basesExcluded: [] });

  it("wakes whoever waits when something is enqueued", async () => {
    const queue = open();
    const waiting = queue.waitForWork("index", new AbortController().signal);
    queue.enqueue([at.job(at.file("a.md"))]);
    await waiting;
    expect(claim(queue)).toHaveLength(1);
  });

  it("ends a wait when its signal aborts", async () => {
    const stop = new AbortController();
    const waiting = open().waitForWork("index", stop.signal);
    stop.abort();
    await expect(waiting).resolves.toBeUndefined();
    await expect(open().waitForWork("index", stop.signal)).resolves.toBeUndefined();
  });

  it("looks at once again for a job that became due while it was being claimed", async () => {
    const queue = open();
    queue.enqueue([at.job(at.file("a.md"), { runAfter: at.clock.now })]);
    at.clock.now -= 1;
    expect(claim(queue)).toEqual([]);
    at.clock.now += 1;
    let rounds = 0;
    const safetyNet = new Promise((resolve) => setTimeout(resolve, 200, "slow"));
    const found = (async () => {
      while (claim(queue).length === 0) {
        rounds++;
        await queue.waitForWork("index", new AbortController().signal);
      }
      return "found";
    })();
    expect(await Promise.race([found, safetyNet])).toBe("found");
    expect(rounds).toBeLessThanOrEqual(1);
  });

  it("retries with a growing wait, and tells when all attempts are used up", () => {
    const queue = open();
    queue.enqueue([at.job(at.file("a.md"))]);
    const waits: number[] = [];
    for (let attempt = 1; attempt < retry.maxAttempts; attempt++) {
      const [job] = claim(queue);
      if (!job) throw new Error("nothing was due");
      expect(queue.retry(job, "the disk hiccuped")).toEqual({ again: true });
      const due = at.catalog.jobs.nextDue("index") ?? 0;
      waits.push(due - at.clock.now);
      expect(claim(queue)).toEqual([]);
      at.clock.now = due;
    }
    expect(waits).toEqual([1000, 2000]);
    const [last] = claim(queue);
    if (!last) throw new Error("nothing was due");
    expect(queue.retry(last, "again")).toEqual({ again: false, attempts: 3 });
  });

  it("does not count what was given back as an attempt", () => {
    const queue = open();
    queue.enqueue([at.job(at.file("a.md"))]);
    for (let round = 0; round < 5; round++) {
      const [job] = claim(queue);
      expect(job?.attempts).toBe(1);
      if (job) queue.release(job, 0);
    }
  });

  it("hands out deletes first, then what was just saved, then bulk work", () => {
    const queue = open();
    const [bulk, saved] = ["bulk.md", "saved.md"].map((name) => at.file(name));
    if (!bulk || !saved) throw new Error("no files");
    queue.enqueue([
      at.job(bulk, { priority: PRIORITY.bulk }),
      at.job(saved, { priority: PRIORITY.interactive }),
    ]);
    expect(claim(queue).map((job) => job.itemId)).toEqual([saved.id, bulk.id]);
  });
});
