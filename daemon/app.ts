import { mkdirSync } from "node:fs";
import path from "node:path";
import type { LoadedConfig } from "../config/load.ts";
import { locations } from "../config/locations.ts";
import { methodTable } from "../rpc/contract/index.ts";
import { createMethods } from "../rpc/methods.ts";
import { createRouter } from "../rpc/router.ts";
import { openServer } from "../rpc/server.ts";
import { openBases, type Bases } from "./bases.ts";
import { openEmbeddingModels } from "./embedding/models.ts";
import { openHosts } from "./hosts.ts";
import { startDeleteLoop } from "./ingest/delete-loop.ts";
import type { IngestDeps } from "./ingest/ingest-deps.ts";
import { startPipeline } from "./ingest/pipeline.ts";
import { openSourceSync } from "./ingest/source-sync.ts";
import { openWatcher } from "./ingest/watcher.ts";
import { startMaintenance } from "./maintenance.ts";
import { openQueue } from "./queue/queue.ts";
import { recover } from "./recover.ts";
import { createRestore } from "./restore.ts";
import { acquireInstanceLock } from "./runtime/instance-lock.ts";
import { createLifecycle } from "./runtime/lifecycle.ts";
import type { Log } from "./runtime/log.ts";
import { openLoopDelay } from "./runtime/loop-delay.ts";
import { openSearch } from "./search/search.ts";
import { createServices } from "./services.ts";
import { openSources } from "./sources.ts";
import { openCatalog } from "./storage/catalog/catalog.ts";
import { createUuidV7 } from "./storage/catalog/uuid-v7.ts";
import { openIndexRegistry } from "./storage/index/registry.ts";
import { version } from "./version.ts";

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
        for (const { name, error } of failed) deps.log.error({ part: name, error: String(error) }, "a part did not close well");
        if (timedOut.length > 0) deps.log.warn({ parts: timedOut }, "parts were abandoned at the stop deadline");
        return failed.length + timedOut.length === 0;
      },
    };
  } catch (error) {
    await lifecycle.close(2000);
    throw error;
  }
}
