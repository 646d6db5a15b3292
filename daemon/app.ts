import { accessSync, constants, mkdirSync } from "node:fs";
import path from "node:path";
import type { LoadedConfig } from "../config/load.ts";
import { locations } from "../config/locations.ts";
import { writePipeToken } from "../config/pipe-token.ts";
import { methodTable } from "../rpc/contract/index.ts";
import { createMethods } from "../rpc/methods.ts";
import { createRouter, type Router } from "../rpc/router.ts";
import { openServer } from "../rpc/server.ts";
import { readApiKey } from "../config/api-key.ts";
import { readEnvironment } from "../config/environment.ts";
import { openBases, type Bases } from "./bases.ts";
import { openVectorCache } from "./embedding/cache.ts";
import { openEmbeddingModels } from "./embedding/models.ts";
import { openHosts } from "./hosts.ts";
import { checkReadersQuietly } from "./ingest/check-readers.ts";
import { startDeleteLoop } from "./ingest/delete-loop.ts";
import type { IngestDeps } from "./ingest/ingest-deps.ts";
import { startPipeline } from "./ingest/pipeline.ts";
import { startProcessLoop } from "./ingest/process-loop.ts";
import { openSnapshots } from "./ingest/snapshots.ts";
import { openSourceSync } from "./ingest/source-sync.ts";
import { openWatcher } from "./ingest/watcher.ts";
import { startMaintenance } from "./maintenance.ts";
import { openProcessors } from "./processing/processors.ts";
import { openRerankers } from "./rerank/rerankers.ts";
import { openQueue } from "./queue/queue.ts";
import { recover } from "./recover.ts";
import { createRestore } from "./restore.ts";
import { openDiskSpace } from "./runtime/disk-space.ts";
import { KnowdError } from "./runtime/errors.ts";
import { acquireInstanceLock } from "./runtime/instance-lock.ts";
import { createLifecycle, type Lifecycle } from "./runtime/lifecycle.ts";
import type { Log } from "./runtime/log.ts";
import { openLoopDelay } from "./runtime/loop-delay.ts";
import { startLatentVectors } from "./latent/latent-vectors.ts";
import { openSearch } from "./search/search.ts";
import { createServices, type AllServices } from "./services.ts";
import { createScopeGate } from "./services/scope-gate.ts";
import { createSessions } from "./services/sessions.ts";
import { openSources } from "./sources.ts";
import { openCatalog } from "./storage/catalog/catalog.ts";
import type { Catalog } from "./storage/catalog/contract.ts";
import { openIndexRegistry } from "./storage/index/registry.ts";
import { version } from "./version.ts";

/** How often vanished files are looked after: a sixth of their grace period, within these bounds. */
const MIN_SWEEP_MS = 250;
const MAX_SWEEP_MS = 5000;
/** Requests in flight have this long to be answered when the daemon stops. */
const STOP_ANSWERS_MS = 1000;

export interface AppDeps {
  readonly config: LoadedConfig["config"];
  readonly log: Log;
  /** What `system.shutdown` does. */
  readonly requestStop: () => void;
}

export interface App {
  readonly socketPath: string;
  /** Closes everything, last opened first. True when nothing failed or hung. */
  stop(deadlineMs: number): Promise<boolean>;
}

/**
 * The whole start order on this page; the stop order is its reverse. The socket opens as soon as the catalogue can answer;
 * watching and indexing begin behind it.
 */
export async function startApp(deps: AppDeps): Promise<App> {
  const lifecycle = createLifecycle();
  try {
    const socketPath = await open(deps, lifecycle);
    return {
      socketPath,
      async stop(deadlineMs) {
        const { failed, timedOut } = await lifecycle.close(deadlineMs);
        for (const { name, error } of failed)
          deps.log.error({ part: name, error: String(error) }, "a part did not close well");
        if (timedOut.length > 0)
          deps.log.warn({ parts: timedOut }, "parts were abandoned at the stop deadline");
        return failed.length + timedOut.length === 0;
      },
    };
  } catch (error) {
    await lifecycle.close(2000);
    throw error;
  }
}

/** Throws PATH_INVALID with what is wrong, before anything else stumbles over it. */
function prepareDataFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `The data folder ${dataDir} can't be used (${reason}). Name another one with --data-dir or KNOWD_DATA_DIR.`;
    throw new KnowdError("PATH_INVALID", { path: dataDir, reason }, message);
  }
}

/** Everything that keeps state, and the processes and models that work on it. */
async function openStorage({ config, log }: AppDeps, lifecycle: Lifecycle) {
  const dataDir = config.data.dir;
  prepareDataFolder(dataDir);
  const lock = await acquireInstanceLock({ dataDir, socketPath: config.socket.path });
  lifecycle.defer("instance lock", () => lock.release());
  const hosts = openHosts({ config, log });
  // The first search waits for it: it loads while the catalogue is opened. What it says is heard further down.
  hosts.search.start().catch(() => undefined);
  lifecycle.defer("worker host", () => hosts.worker.stop());
  lifecycle.defer("lonely host", () => hosts.lonely.stop());
  lifecycle.defer("fetch host", () => hosts.fetch.stop());
  lifecycle.defer("search host", () => hosts.search.stop());
  const catalog = openCatalog({ path: path.join(dataDir, "catalog.sqlite") });
  lifecycle.defer("catalogue", () => catalog.close());
  const recreated: ((baseId: string, reason: string) => void)[] = [];
  const registry = openIndexRegistry({
    dataDir,
    log,
    substringOf: (baseId) => catalog.bases.get(baseId)?.substring ?? false,
    onRecreated: (baseId, reason) => recreated.forEach((listener) => listener(baseId, reason)),
  });
  lifecycle.defer("indexes", () => registry.close());
  // Before the indexes: whoever closes one last moves its log into the file, which a reader can't.
  lifecycle.defer("readers of the indexes", () => hosts.search.stop());
  const cache = openVectorCache({
    path: path.join(dataDir, "vectors.sqlite"),
    keepDays: config.embedding.cacheDays,
    now: Date.now,
    log,
  });
  lifecycle.defer("vector cache", () => cache.close());
  const models = openEmbeddingModels({
    config: config.embedding,
    files: locations.embeddedModel,
    workerHost: hosts.worker,
    apiKey: (model) => readApiKey(model, readEnvironment().env),
    cache,
    log,
    now: Date.now,
  });
  lifecycle.defer("embedding models", () => models.close());
  const rerankers = openRerankers({
    config: config.rerank,
    apiKey: (model) => readApiKey(model, readEnvironment().env),
  });
  const processors = openProcessors(config.processing, path.join(dataDir, "processing"));
  const onRecreated = (listener: (baseId: string, reason: string) => void): void =>
    void recreated.push(listener);
  return { catalog, registry, hosts, models, rerankers, processors, onRecreated };
}

/** What follows the folders and works the queue off. */
function startWork(
  { config, log }: AppDeps,
  lifecycle: Lifecycle,
  storage: Awaited<ReturnType<typeof openStorage>>,
) {
  const { catalog, registry, hosts, models, processors } = storage;
  const queue = openQueue({
    jobs: catalog.jobs,
    retry: config.ingest.retry,
    now: Date.now,
    random: Math.random,
  });
  const ingest: IngestDeps = {
    catalog,
    registry,
    queue,
    workerHost: hosts.worker,
    lonelyHost: hosts.lonely,
    models,
    processors,
    disk: openDiskSpace({ folder: config.data.dir, log }),
    settings: config.ingest,
    now: Date.now,
    log,
  };
  const recovered = recover(ingest);
  if (recovered.jobs + recovered.items > 0) log.info(recovered, "work that was interrupted goes on");
  const pipeline = startPipeline(ingest);
  lifecycle.defer("pipeline", () => pipeline.stop());
  const processing = startProcessLoop(ingest, config.processing.maxConcurrent);
  lifecycle.defer("processing", () => processing.stop());
  const deletes = startDeleteLoop(ingest, pipeline);
  lifecycle.defer("deletes", () => deletes.stop());
  const latent = startLatentVectors({ ...ingest, searchHost: hosts.search });
  lifecycle.defer("latent vectors", () => latent.stop());
  const maintenance = startMaintenance(ingest);
  lifecycle.defer("maintenance", () => maintenance.stop());
  const sync = openSourceSync({
    ...ingest,
    sweepEveryMs: Math.min(Math.max(config.ingest.graceMs / 6, MIN_SWEEP_MS), MAX_SWEEP_MS),
    openWatcher: (onMessage, onExit) =>
      openWatcher({ threadUrl: locations.watcherThread, onMessage, onExit, settings: config.watch, log }),
  });
  lifecycle.defer("watcher", () => sync.stop());
  const snapshots = openSnapshots(config.snapshot, ingest, hosts.fetch);
  lifecycle.defer("snapshots", () => snapshots.stop());
  const { capture, refresher } = snapshots;
  return { ingest, pipeline, processing, sync, capture, refresher };
}

async function open(deps: AppDeps, lifecycle: Lifecycle): Promise<string> {
  const { config, log } = deps;
  const startedAt = Date.now();
  const loopDelay = openLoopDelay();
  lifecycle.defer("loop delay", () => loopDelay.close());
  const storage = await openStorage(deps, lifecycle);
  const { catalog, hosts, rerankers } = storage;
  const work = startWork(deps, lifecycle, storage);
  const { ingest, sync } = work;

  const search = openSearch({ ...storage, host: hosts.search, settings: config.search, log });
  const bases = openBases({
    ...ingest,
    ...work,
    rerankers,
    closeSearch: (baseId) => search.closeBase(baseId),
    defaults: config.base,
  });
  storage.onRecreated((baseId, reason) => void bases.rebuild(baseId, reason));
  bases.checkModels();
  void checkReadersQuietly(ingest);
  const sources = openSources({ ingest, sync, dataDir: config.data.dir });
  const services = createServices({
    ...deps,
    ...work,
    bases,
    restore: createRestore({ ingest, bases, addSource: sources.add }),
    sources,
    search,
    rerankers,
    hosts,
    loopDelay,
    about: { version, startedAt, dataDir: config.data.dir, socketPath: config.socket.path },
  });
  const router = routerOf(services, catalog, log);
  const token = writePipeToken(config.data.dir, process.platform);
  const server = await openServer({
    socketPath: config.socket.path,
    router,
    limits: config.limits,
    token,
    log,
  });
  lifecycle.defer("socket", () => server.close(STOP_ANSWERS_MS));

  await hosts.search.start();
  await hosts.worker.start();
  sync.start();
  void sources.finishRemoves();
  lookAtIndexes(catalog, bases);
  log.info({ version, ...pick(config), bases: catalog.bases.all().length }, "knowd is ready");
  return config.socket.path;
}

/** Every call passes the gate before its method. */
function routerOf(services: AllServices, catalog: Catalog, log: Log): Router {
  const sessions = createSessions({ catalog, now: Date.now });
  return createRouter({
    table: methodTable,
    gate: { scopeOf: (peer) => sessions.scopeOf(peer), admit: createScopeGate({ catalog }) },
    handlers: createMethods({
      services,
      sessions,
      subscribe: (listener) => catalog.changes.subscribe(listener),
      lastSeq: () => catalog.changes.lastSeq(),
    }),
    onInternalError: (error, method) =>
      log.error({ method, error: error.stack, cause: String(error.cause) }, "a method failed"),
  });
}

/** In the background: lost indexes are made again, and after a crash each is compared with the catalogue. */
function lookAtIndexes(catalog: Catalog, bases: Bases): void {
  for (const base of catalog.bases.all()) {
    void (catalog.closedCleanly
      ? bases.look(base.id)
      : bases.reconcile(base.id, "the last stop was not clean"));
  }
}

function pick(config: AppDeps["config"]): { dataDir: string; socketPath: string } {
  return { dataDir: config.data.dir, socketPath: config.socket.path };
}
