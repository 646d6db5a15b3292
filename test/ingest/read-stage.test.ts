import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { IngestDeps } from "../../daemon/ingest/ingest-deps.ts";
import { readBatch, readSlice, workFor } from "../../daemon/ingest/read-stage.ts";
import { openQueue } from "../../daemon/queue/queue.ts";
import { HostFailure } from "../../daemon/runtime/host.ts";
import { openIndexRegistry } from "../../daemon/storage/index/registry.ts";
import { useCatalog } from "../support/catalog-fixture.ts";
import { temporaryFolder } from "../support/temporary.ts";

const fixture = useCatalog();
const SIZE = 100 * 1024 * 1024;

it("P11 a large file that is in the base itself has the time to be read that its size asks for", async () => {
  const { catalog, base, clock } = fixture;
  const registry = openIndexRegistry({
    dataDir: temporaryFolder(),
    onRecreated: () => undefined,
    maintenanceEntry: null,
  });
  onTestFinished(() => registry.close());
  await registry.create(base.id, { substring: false });
  const item = fixture.file("large.txt");
  const file = path.join(registry.rawPath(base.id), item.conceptId);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, "");
  truncateSync(file, SIZE);
  const queue = openQueue({
    jobs: catalog.jobs,
    retry: { baseMs: 10, maxMs: 10, maxAttempts: 3 },
    now: () => clock.now,
    random: () => 0,
  });
  queue.enqueue([fixture.job(item, { runAfter: 0 })]);
  const [job] = queue.claim({ kind: "index", limit: 1, suspects: false, basesExcluded: [] });
  const deadlines: number[] = [];
  const workerHost = {
    run: async (_task: string, _input: unknown, { deadlineMs }: { deadlineMs: number }) => {
      deadlines.push(deadlineMs);
      throw new HostFailure("stopped", "it is asked for nothing but its deadline");
    },
  };
  const settings = { taskDeadlineMs: 1000, batchBytes: 1000, maxFileBytes: SIZE };
  const deps = { catalog, registry, queue, settings, workerHost } as unknown as IngestDeps;
  const work = job && workFor(deps, job);
  if (!work) throw new Error("nothing was due");
  const { signal } = new AbortController();
  await readBatch(deps, [work], signal);
  await readSlice(deps, work, null, signal);
  expect(deadlines).toEqual([1000 + SIZE / 512, 1000 + SIZE / 512]);
});
