import type { Params, Result } from "../../rpc/contract/index.ts";
import type { Source } from "../../rpc/contract/sources.ts";
import type { IngestDeps } from "../ingest/ingest-deps.ts";
import type { SourceSync } from "../ingest/source-sync.ts";
import type { Scope } from "../runtime/scope.ts";
import type { Sources } from "../sources.ts";
import type { Call, Services } from "./call.ts";

type SourceMethod =
  | "source.add"
  | "source.list"
  | "source.update"
  | "source.pause"
  | "source.resume"
  | "source.rescan"
  | "source.sync"
  | "source.remove";

export interface SourceServiceDeps {
  readonly ingest: IngestDeps;
  readonly sources: Sources;
  readonly sync: SourceSync;
}

/** How often a waiting `source.sync` looks at the queue. */
const SYNC_POLL_MS = 10;
const SYNC_PROGRESS_MS = 250;

export function createSourceService(deps: SourceServiceDeps): Services<SourceMethod> {
  const { sources, sync } = deps;
  const { catalog } = deps.ingest;
  return {
    "source.add": async (params) => ({ source: await sources.add(params) }),
    "source.list": ({ baseId, ...page }, { scope }) => {
      if (baseId !== undefined) catalog.bases.require(baseId);
      return catalog.sources.list({ ...page, baseIds: baseId === undefined ? scope.baseIds : [baseId] });
    },
    "source.update": async (params) => ({ source: await sources.update(params) }),
    "source.pause": async ({ sourceId }) => ({ source: await sources.pause(sourceId) }),
    "source.resume": async ({ sourceId }) => ({ source: await sources.resume(sourceId) }),
    "source.rescan": async ({ sourceId }) => {
      const { changed, gone, files } = await sync.scan(sourceId);
      return { changed, gone, files };
    },
    "source.sync": (params, call) => syncSources(deps, params, call),
    "source.remove": async ({ sourceId }) => {
      await sources.remove(sourceId);
      return {};
    },
  };
}

/** Promise P8: a complete comparison of each folder, then a wait for all the work that was known by then. */
async function syncSources(
  deps: SourceServiceDeps,
  params: Params<"source.sync">,
  call: Call,
): Promise<Result<"source.sync">> {
  const { catalog } = deps.ingest;
  const wanted = wantedSources(deps, params, call.scope);
  const freshInstance = wanted.some((source) => deps.sync.isFresh(source.id));
  for (const source of wanted) {
    call.signal.throwIfAborted();
    await deps.sync.scan(source.id);
  }
  const sourceIds = wanted.map((source) => source.id);
  const upToId = catalog.jobs.lastId();
  let reported = performance.now();
  for (;;) {
    const { pending } = catalog.jobs.outstanding({ sourceIds, upToId });
    if (pending === 0) break;
    call.signal.throwIfAborted();
    if (performance.now() - reported >= SYNC_PROGRESS_MS) {
      reported = performance.now();
      call.progress(0, pending, `${pending} files wait`);
    }
    await new Promise((resolve) => setTimeout(resolve, SYNC_POLL_MS));
  }
  return { failed: catalog.items.countFailed(sourceIds), freshInstance };
}

function wantedSources(
  deps: SourceServiceDeps,
  { sourceId, baseId }: Params<"source.sync">,
  scope: Scope,
): Source[] {
  const { catalog } = deps.ingest;
  if (sourceId !== undefined) return [catalog.sources.require(sourceId)];
  if (baseId !== undefined) catalog.bases.require(baseId);
  return catalog.sources
    .all()
    .filter((source) => scope.has(source.baseId) && (baseId === undefined || source.baseId === baseId))
    .filter((source) => source.state !== "paused" && source.state !== "removing");
}
