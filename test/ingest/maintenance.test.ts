import { statSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { startMaintenance } from "../../daemon/maintenance.ts";
import { openLog } from "../../daemon/runtime/log.ts";
import { openIndexRegistry } from "../../daemon/storage/index/registry.ts";
import { useCatalog } from "../support/catalog-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { revision } from "../support/index-revision.ts";
import { temporaryFolder } from "../support/temporary.ts";

const at = useCatalog();
const MIB = 1024 * 1024;
const log = openLog({ level: "silent" });

/** An index of a few megabytes in which nothing is left. */
async function openEmptied() {
  const registry = openIndexRegistry({
    dataDir: temporaryFolder(),
    onRecreated: () => undefined,
    maintenanceEntry: null,
  });
  onTestFinished(() => registry.close());
  await registry.create(at.base.id, { substring: false });
  const ids = Array.from({ length: 12 }, (_, n) => `item-${n}`);
  for (const id of ids) await registry.commit(at.base.id, [revision(id, [`${id} ${"x".repeat(MIB)}`])]);
  await registry.remove(at.base.id, ids);
  return { registry, bytes: () => statSync(registry.indexPath(at.base.id)).size };
}

it("K8.7 K11.2 disk space is given back while files of an unavailable source wait, and not before other work is done", async () => {
  const { registry, bytes } = await openEmptied();
  const source = at.source();
  at.catalog.sources.setState(source.id, "unavailable", "it is not there");
  const waiting = at.file("waits.md", { sourceId: source.id });
  const other = at.file("other.md");
  at.catalog.jobs.enqueue([at.job(waiting), at.job(other)]);
  expect(at.catalog.jobs.active()).toBe(1);
  const maintenance = startMaintenance({ catalog: at.catalog, registry, log }, 10);
  onTestFinished(() => maintenance.stop());
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(bytes()).toBeGreaterThan(8 * MIB);

  at.catalog.jobs.cancelOfItems([other.id]);
  await eventually(() => (bytes() < MIB ? true : undefined));
  expect(at.catalog.jobs.counts().queued).toBe(1);

  at.catalog.sources.setState(source.id, "watching", null);
  expect(at.catalog.jobs.active()).toBe(1);
});
