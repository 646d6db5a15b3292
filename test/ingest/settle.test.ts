import { describe, expect, it, onTestFinished } from "vitest";
import type { IngestDeps } from "../../daemon/ingest/ingest-deps.ts";
import { queueReindex } from "../../daemon/ingest/queue-index.ts";
import { workFor, type Work } from "../../daemon/ingest/read-stage.ts";
import { conclude, settleUnchanged } from "../../daemon/ingest/settle-outcomes.ts";
import { openQueue, PRIORITY } from "../../daemon/queue/queue.ts";
import { openIndexRegistry } from "../../daemon/storage/index/registry.ts";
import { useCatalog } from "../support/catalog-fixture.ts";
import { temporaryFolder } from "../support/temporary.ts";

const fixture = useCatalog();
const stamp = { size: 5, mtimeNs: "1", ctimeNs: "1", ino: "7", dev: "1" };

/** An indexed file of a source whose job is claimed. */
async function openClaimed(): Promise<{ deps: IngestDeps; work: Work; claim: () => Work }> {
  const { catalog, base } = fixture;
  const registry = openIndexRegistry({
    dataDir: temporaryFolder(),
    onRecreated: () => undefined,
    maintenanceEntry: null,
  });
  onTestFinished(() => registry.close());
  await registry.create(base.id, { substring: false });
  const queue = openQueue({
    jobs: catalog.jobs,
    retry: { baseMs: 10, maxMs: 10, maxAttempts: 3 },
    now: () => fixture.clock.now,
    random: () => 0,
  });
  // The stages under test need no more than these.
  const deps = { catalog, registry, queue, now: () => fixture.clock.now, settings: {} } as IngestDeps;
  const source = fixture.source();
  const item = fixture.file("a.md", { sourceId: source.id, path: `${source.path}/a.md` });
  catalog.ledger.put([
    { sourceId: source.id, path: "a.md", itemId: item.id, stamp, byteHash: "first", parser: "text@1" },
  ]);
  fixture.complete(item);
  queue.enqueue([fixture.job(item, { runAfter: 0 })]);
  const claim = (): Work => {
    const [job] = queue.claim({ kind: "index", limit: 1, suspects: false, basesExcluded: [] });
    const work = job && workFor(deps, job);
    if (!work) throw new Error("nothing was due");
    return work;
  };
  return { deps, work: claim(), claim };
}

describe("what is known of a file's bytes", () => {
  it("K8.2 stays forgotten when the file was queued to be read anew while it was found unchanged", async () => {
    const { deps, work, claim } = await openClaimed();
    await queueReindex(deps, [work.item.id], PRIORITY.bulk);
    await settleUnchanged(deps, work, { kind: "unchanged", key: 0, stamp, byteHash: "first" });
    expect(claim().ledger?.byteHash).toBeNull();
  });

  it("K11.1 is kept when it was found unchanged and nobody asked", async () => {
    const { deps, work } = await openClaimed();
    await settleUnchanged(deps, work, { kind: "unchanged", key: 0, stamp, byteHash: "first" });
    expect(deps.catalog.ledger.byItem(work.item.id)).toMatchObject({ byteHash: "first", parser: "text@1" });
    expect(deps.catalog.jobs.counts()).toMatchObject({ queued: 0, running: 0 });
  });

  it("K8.5 is that of the revision that answers, so that bytes which failed never pass for it", async () => {
    const { deps, work } = await openClaimed();
    const failed = { kind: "failed", key: 0, permanent: true, message: "The reader failed.", stamp } as const;
    conclude(deps, work, failed.message, { ...failed, failure: "parser_error", byteHash: "second" });
    expect(deps.catalog.ledger.byItem(work.item.id)?.byteHash).toBe("first");
    expect(deps.catalog.items.get(work.item.id)).toMatchObject({
      status: "completed",
      refreshError: "The reader failed.",
    });
  });
});
