import type { WorkerTasks } from "../../workers/contract.ts";
import type { EmbeddingModels } from "../embedding/provider.ts";
import type { Processors } from "../processing/processor.ts";
import type { Queue } from "../queue/queue.ts";
import type { DiskSpace } from "../runtime/disk-space.ts";
import type { Host } from "../runtime/host.ts";
import type { Log } from "../runtime/log.ts";
import type { Catalog } from "../storage/catalog/contract.ts";
import type { IndexRegistry } from "../storage/index/contract.ts";

export interface IngestSettings {
  readonly threads: number;
  readonly batchFiles: number;
  readonly batchBytes: number;
  readonly maxFileBytes: number;
  /** A task's time to finish; larger files get more (see read-stage). */
  readonly taskDeadlineMs: number;
  /** A file is read when it has not been written for this long (at size 0: settleEmptyMs). */
  readonly settleMs: number;
  readonly settleEmptyMs: number;
  /** How long a vanished file's item is kept hidden before it is deleted; massGraceMs when many vanish at once. */
  readonly graceMs: number;
  readonly massGraceMs: number;
}

/** What the stages of ingest share. */
export interface IngestDeps {
  readonly catalog: Catalog;
  readonly registry: IndexRegistry;
  readonly queue: Queue;
  readonly workerHost: Host<WorkerTasks>;
  /** Where suspects run, one at a time. */
  readonly lonelyHost: Host<WorkerTasks>;
  readonly models: EmbeddingModels;
  readonly processors: Processors;
  readonly disk: DiskSpace;
  readonly settings: IngestSettings;
  readonly now: () => number;
  readonly log: Log;
}
