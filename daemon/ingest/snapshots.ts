import { readEnvironment } from "../../config/environment.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { WorkerTasks } from "../../workers/contract.ts";
import type { Host } from "../runtime/host.ts";
import { openCaptures } from "./captures.ts";
import { fetchRules } from "./fetch-rules.ts";
import type { CaptureDeps } from "./import-urls.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import { createSnapshotRefresher, type SnapshotRefresher } from "./refresh-snapshots.ts";
import { startSnapshotSchedule } from "./snapshot-schedule.ts";

export interface Snapshots {
  /** What captures URLs into a base. */
  readonly capture: CaptureDeps;
  readonly refresher: SnapshotRefresher;
  /** Nothing is fetched by itself any more. */
  stop(): Promise<void>;
}

/** Captures URLs, and fetches them again when they are due. */
export function openSnapshots(
  settings: LoadedConfig["config"]["snapshot"],
  ingest: IngestDeps,
  host: Host<WorkerTasks>,
): Snapshots {
  const { allowPrivate, timeoutMs } = settings;
  const rules = (allows: boolean) => fetchRules(settings, readEnvironment().env, allows);
  const capture = { ...ingest, captures: openCaptures({ host, allowPrivate, timeoutMs, rules }) };
  const refresher = createSnapshotRefresher(capture);
  const schedule = startSnapshotSchedule({ ...ingest, refresher });
  return { capture, refresher, stop: () => schedule.stop() };
}
