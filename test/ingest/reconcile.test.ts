import { setImmediate as turn } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import type { IngestDeps } from "../../daemon/ingest/ingest-deps.ts";
import { findDisagreements, reconcileBase } from "../../daemon/ingest/reconcile.ts";
import { openQueue } from "../../daemon/queue/queue.ts";
import { openIndexRegistry } from "../../daemon/storage/index/registry.ts";
import { useCatalog } from "../support/catalog-fixture.ts";
import { revision } from "../support/index-revision.ts";
import { temporaryFolder } from "../support/temporary.ts";

const fixture = useCatalog();

/** A base whose index has the material of one item that has no revision, and lacks those of many that have one. */
async function openOrphaned(): Promise<{
  deps: IngestDeps;
  orphan: string;
  materials: () => Promise<string[]>;
}> {
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
  const models = { get: () => undefined, ids: () => [], close: async () => {} };
  // Reconciling needs no more than these.
  const deps = { catalog, registry, queue, models, now: () => fixture.clock.now } as unknown as IngestDeps;
  const orphan = fixture.file("orphan.md").id;
  await registry.commit(base.id, [revision(orphan, ["of a revision that the catalogue lost"])]);
  catalog.transaction(() => {
    for (let n = 0; n < 2000; n++) fixture.complete(fixture.file(`lost${n}.md`));
  });
  return {
    deps,
    orphan,
    materials: async () => {
      const ids: string[] = [];
      await registry.materials(base.id, (slice) => ids.push(...slice.map(({ materialId }) => materialId)));
      return ids;
    },
  };
}

it("K1.1 an index without a revision in the catalogue is taken out, and what was lost is queued", async () => {
  const { deps, materials } = await openOrphaned();
  expect(await reconcileBase(deps, fixture.base.id)).toEqual({ lost: 2000, parked: 0, orphans: 1 });
  expect(await materials()).toEqual([]);
  expect(deps.catalog.jobs.counts().queued).toBe(2000);
});

it("K1.3 an item that is indexed while an index is compared keeps its material, wherever the two meet", async () => {
  const { deps, orphan, materials } = await openOrphaned();
  const { catalog, registry } = deps;
  const reconciling = reconcileBase(deps, fixture.base.id);
  // What is queued tells that the comparison is over; the orphans are still to be removed.
  while (catalog.jobs.counts().queued === 0) await turn();
  catalog.items.setStatus([orphan], "reading");
  const read = revision(orphan, ["what its file says now"]);
  await registry.commit(fixture.base.id, [read]);
  catalog.items.complete(orphan, fixture.revision({ contentHash: read.contentHash, chunkCount: 1 }));
  expect(catalog.jobs.counts().queued).toBeLessThan(2000);
  expect(await reconciling).toMatchObject({ orphans: 0 });
  expect(await materials()).toEqual([orphan]);
});

it("K1.3 an item whose commit waits behind the removal of its old material has the new one in the end", async () => {
  const { deps, orphan, materials } = await openOrphaned();
  const { catalog, registry } = deps;
  const read = revision(orphan, ["what its file says now"]);
  const reconciling = reconcileBase(deps, fixture.base.id);
  while (catalog.jobs.counts().queued < 2000) await turn();
  catalog.items.setStatus([orphan], "reading");
  await registry.commit(fixture.base.id, [read]);
  catalog.items.complete(orphan, fixture.revision({ contentHash: read.contentHash, chunkCount: 1 }));
  await reconciling;
  expect(await materials()).toEqual([orphan]);
});

it("K1.1 what was committed, or waits to be read again, while index and catalogue are compared is no disagreement", async () => {
  const { deps, orphan } = await openOrphaned();
  const { catalog } = deps;
  const lost = catalog.items.leavesOfBase(fixture.base.id).filter((id) => id !== orphan);
  const late = fixture.file("late.md").id;
  let listings = 0;
  const registry: IngestDeps["registry"] = {
    ...deps.registry,
    async materials(baseId, visit) {
      await deps.registry.materials(baseId, visit);
      if (listings++ > 0) return;
      const read = revision(late, ["came between the two"]);
      await deps.registry.commit(baseId, [read]);
      catalog.items.complete(late, fixture.revision({ contentHash: read.contentHash, chunkCount: 1 }));
    },
  };
  expect(catalog.items.get(orphan)?.status).toBe("idle");
  const found = await findDisagreements({ ...deps, registry }, fixture.base.id);
  expect(listings).toBe(2);
  expect(found.lost.toSorted()).toEqual(lost.toSorted());
  expect(found.orphans).toEqual([]);
});
