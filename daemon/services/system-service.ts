import type { SearchTasks } from "../../workers/search/contract.ts";
import type { WorkerTasks } from "../../workers/contract.ts";
import type { Base } from "../../rpc/contract/bases.ts";
import type { SystemStatus } from "../../rpc/contract/system.ts";
import { modelWarnings } from "../ingest/base-model.ts";
import type { IngestDeps } from "../ingest/ingest-deps.ts";
import type { Pipeline } from "../ingest/pipeline.ts";
import type { ProcessLoop } from "../ingest/process-loop.ts";
import type { SourceSync } from "../ingest/source-sync.ts";
import type { Rerankers } from "../rerank/reranker.ts";
import type { Host } from "../runtime/host.ts";
import { isToldOf, type Scope } from "../runtime/scope.ts";
import type { LoopDelay } from "../runtime/loop-delay.ts";
import type { Services } from "./call.ts";

type SystemMethod = "system.status" | "system.formats" | "system.shutdown" | "changes.since";

export interface SystemServiceDeps {
  readonly ingest: IngestDeps;
  readonly pipeline: Pipeline;
  readonly processing: ProcessLoop;
  readonly sync: SourceSync;
  readonly hosts: { readonly worker: Host<WorkerTasks>; readonly search: Host<SearchTasks> };
  readonly rerankers: Pick<Rerankers, "ids">;
  readonly loopDelay: LoopDelay;
  readonly about: {
    readonly version: string;
    readonly startedAt: number;
    readonly dataDir: string;
    readonly socketPath: string;
  };
  /** Begins the same stop as SIGTERM, after the answer is on its way. */
  readonly requestStop: () => void;
}

export function createSystemService(deps: SystemServiceDeps): Services<SystemMethod> {
  return {
    "system.status": (_params, { scope }) => statusOf(deps, scope),
    "system.formats": async () => {
      const { parserName, readers } = await import("../../workers/parse/registry.ts");
      const formats = readers.map((reader) => ({
        format: reader.format,
        name: reader.name,
        extensions: [...reader.extensions],
        library: reader.library,
        reader: parserName(reader),
      }));
      const { processors } = deps.ingest;
      return {
        formats,
        processors: processors.ids().flatMap((id) => {
          const processor = processors.get(id);
          return processor ? [{ id, extensions: [...processor.extensions], when: processor.when }] : [];
        }),
      };
    },
    "system.shutdown": () => {
      setImmediate(deps.requestStop);
      return {};
    },
    "changes.since": ({ seq, limit }, { scope }) => {
      const { changes, ...rest } = deps.ingest.catalog.changes.since(seq, limit);
      return { changes: changes.filter((change) => isToldOf(change, scope)), ...rest };
    },
  };
}

function statusOf(deps: SystemServiceDeps, scope: Scope): SystemStatus {
  const { catalog } = deps.ingest;
  const bases = catalog.bases.all().filter((base) => scope.has(base.id));
  const counts = bases.map((base) => catalog.bases.counts(base.id));
  const sum = (pick: (one: (typeof counts)[number]) => number): number =>
    counts.reduce((total, one) => total + pick(one), 0);
  const sources = catalog.sources.all().filter((source) => scope.has(source.baseId));
  const inState = (state: string): number => sources.filter((source) => source.state === state).length;
  const queue = scope.baseIds === null ? catalog.jobs.counts() : catalog.jobs.countsOf(scope.baseIds);
  return {
    version: deps.about.version,
    pid: process.pid,
    startedAt: deps.about.startedAt,
    uptimeMs: deps.ingest.now() - deps.about.startedAt,
    dataDir: deps.about.dataDir,
    socketPath: deps.about.socketPath,
    bases: bases.length,
    sources: {
      total: sources.length,
      watching: inState("watching"),
      polling: inState("polling"),
      unavailable: inState("unavailable"),
      scanning: inState("scanning"),
    },
    items: {
      total: sum((one) => one.items),
      completed: sum((one) => one.completed),
      failed: sum((one) => one.failed),
      skipped: sum((one) => one.skipped),
      warned: sum((one) => one.warned),
      active: sum((one) => one.active),
    },
    chunks: sum((one) => one.chunks),
    queue,
    idle:
      (scope.baseIds === null ? catalog.jobs.active() : queue.queued + queue.running) === 0 &&
      inState("scanning") === 0,
    processing: processingOf(deps, scope),
    // Of all bases together, so it would tell of work on those out of scope.
    filesPerSecond: scope.baseIds === null ? deps.pipeline.rate() : 0,
    embedding: deps.ingest.models
      .ids()
      .map((id) => ({ id, dimensions: dimensionsOf(bases, id), state: "configured" })),
    hosts: { worker: hostState(deps.hosts.worker), search: hostState(deps.hosts.search) },
    rssBytes: process.memoryUsage.rss(),
    loopDelayP99Ms: deps.loopDelay.stats().p99Ms,
    warnings: warningsOf(deps, bases, scope),
  };
}

function hostState(host: Host<WorkerTasks> | Host<SearchTasks>): SystemStatus["hosts"]["worker"] {
  const { state, pid, restarts, rssBytes } = host.stats();
  return { state, pid, restarts, rssBytes };
}

function processingOf(deps: SystemServiceDeps, scope: Scope): SystemStatus["processing"] {
  const running = deps.processing.running();
  const items = deps.ingest.catalog.items.many(running.map(({ itemId }) => itemId));
  return running.filter(({ itemId }) => scope.has(items.get(itemId)?.baseId ?? ""));
}

function dimensionsOf(bases: readonly Base[], id: string): number | null {
  return bases.find((base) => base.embeddingModelId === id)?.dimensions ?? null;
}

function warningsOf(deps: SystemServiceDeps, bases: readonly Base[], scope: Scope): string[] {
  const failed = bases.filter((base) => base.status === "failed");
  const ofBases = failed.map(
    (base) => `the base "${base.name}" can't be searched: ${base.error ?? "unknown"}`,
  );
  const known = deps.rerankers.ids();
  const ofRerankers = bases.flatMap(({ name, rerankModelId: id }) =>
    id === null || known.includes(id)
      ? []
      : [`the base "${name}" is searched without its reranker: the reranker ${id} is not configured`],
  );
  const { jobs } = deps.ingest.catalog;
  const { parked } = scope.baseIds === null ? jobs.counts() : jobs.countsOf(scope.baseIds);
  const ofJobs =
    parked > 0 ? [`${parked} jobs are parked after an interruption: knowd job retry goes on with them`] : [];
  const failing = deps.ingest.catalog.snapshots.failing();
  const ofSnapshots =
    failing > 0
      ? [`${failing} captured URLs could not be refreshed; their texts stay: knowd ls shows them`]
      : [];
  const shortage = deps.ingest.disk.shortage();
  return [
    ...(shortage === null ? [] : [shortage]),
    ...ofBases,
    ...modelWarnings(deps.ingest, bases),
    ...ofSnapshots,
    ...ofRerankers,
    ...ofJobs,
    ...(scope.baseIds === null ? deps.sync.warnings() : []),
  ];
}
