import type { LoadedConfig } from "../config/load.ts";
import { locations } from "../config/locations.ts";
import type { WorkerTasks } from "../workers/contract.ts";
import type { SearchTasks } from "../workers/search/contract.ts";
import type { Host } from "./runtime/host.ts";
import type { Log } from "./runtime/log.ts";
import { openHost } from "./runtime/open-host.ts";

export interface Hosts {
  /** Parses, chunks and embeds on the threads of a pool. */
  readonly worker: Host<WorkerTasks>;
  /** Reads files that a worker host was lost with, one at a time, while the others go on. */
  readonly lonely: Host<WorkerTasks>;
  /** Fetches URLs: a slow server holds up no file that is read. */
  readonly fetch: Host<WorkerTasks>;
  /** Searches, reads and greps on read-only connections. */
  readonly search: Host<SearchTasks>;
}

/** V8's own bound for each heap in a host; buffers come on top and are bounded by the process's memory limit. */
const WORKER_HEAP_MB = 1024;
const SEARCH_HEAP_MB = 768;
/** Searches wait here, not in the host: one that is stuck takes down as few others as can be. */
const SEARCHES_IN_FLIGHT = 4;
const SEARCHES_QUEUED = 128;
/** What is fetched at a time, of all callers. */
const FETCHES_IN_FLIGHT = 4;
const FETCHES_QUEUED = 256;
const FETCH_IDLE_MS = 10_000;
/** Suspects come together, so that what waits longer would wait in vain. */
const LONELY_IDLE_MS = 1000;

export function openHosts({ config, log }: { config: LoadedConfig["config"]; log: Log }): Hosts {
  const { ingest, search } = config;
  const workers = {
    entryUrl: locations.workerHost,
    heapLimitMb: WORKER_HEAP_MB,
    memoryLimitBytes: ingest.memoryLimitBytes,
    log,
  };
  return {
    worker: openHost<WorkerTasks>({
      ...workers,
      name: "worker host",
      init: { threads: ingest.threads },
      idleExitMs: ingest.idleExitMs,
      maxInFlight: ingest.threads,
      maxQueued: ingest.maxQueuedBatches + ingest.threads,
    }),
    lonely: openHost<WorkerTasks>({
      ...workers,
      name: "lonely host",
      init: { threads: 1 },
      idleExitMs: LONELY_IDLE_MS,
      maxInFlight: 1,
      maxQueued: 1,
    }),
    fetch: openHost<WorkerTasks>({
      ...workers,
      name: "fetch host",
      init: { threads: FETCHES_IN_FLIGHT },
      idleExitMs: FETCH_IDLE_MS,
      maxInFlight: FETCHES_IN_FLIGHT,
      maxQueued: FETCHES_QUEUED,
    }),
    search: openHost<SearchTasks>({
      name: "search host",
      entryUrl: locations.searchHost,
      init: { contentCacheBytes: search.contentCacheBytes, vectorCacheBytes: search.vectorCacheBytes },
      heapLimitMb: SEARCH_HEAP_MB,
      memoryLimitBytes: search.memoryLimitBytes,
      idleExitMs: search.idleExitMs,
      maxInFlight: SEARCHES_IN_FLIGHT,
      maxQueued: SEARCHES_QUEUED,
      log,
    }),
  };
}
