import { availableParallelism } from "node:os";
import { z } from "zod";
import { EMBEDDED_MODEL_ID, embeddingSection } from "./embedding-schema.ts";
import { processingSection } from "./processing-schema.ts";
import { rerankSection } from "./rerank-schema.ts";
import { snapshotSection } from "./snapshot-schema.ts";
import {
  DAY,
  GIB,
  HOUR,
  KIB,
  MIB,
  MINUTE,
  SECOND,
  bytes,
  count,
  milliseconds,
  orNone,
  section,
} from "./setting-kinds.ts";

const data = section({
  dir: z
    .string()
    .min(1)
    .meta({ description: "folder of the catalogue and the bases", fallback: "XDG_DATA_HOME/knowd" }),
});

const socket = section({
  path: z.string().min(1).meta({
    description: "Unix socket (named pipe on Windows)",
    fallback: "XDG_RUNTIME_DIR/knowd/knowd.sock",
  }),
});

const log = section({
  level: z
    .enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"])
    .default("info")
    .meta({ description: "least severity that is logged" }),
  file: orNone(z.string().min(1))
    .default(null)
    .meta({ description: "file to log to; none for standard error" }),
});

const limits = section({
  maxFrameBytes: bytes(MIB, 4 * KIB, 16 * MIB, "one message from a client"),
  maxBatch: count(32, 1, 1000, "requests in one JSON-RPC batch"),
  maxInFlightPerConnection: count(16, 1, 1024, "unanswered requests of one client"),
  maxInFlight: count(128, 1, 8192, "unanswered requests of all clients"),
  maxConnections: count(64, 1, 1024, "clients at a time"),
  partialFrameMs: milliseconds(3 * SECOND, 100, MINUTE, "time in which a begun message must be complete"),
  maxUnreadBytes: bytes(4 * MIB, 64 * KIB, 256 * MIB, "answers a client has not read before it is cut off"),
});

/** Half a small machine stays free for its owner; more threads than four would only wait for the writer. */
function automaticThreads(): number {
  return Math.max(1, Math.min(4, availableParallelism()));
}

const retry = section({
  baseMs: milliseconds(2 * SECOND, 10, HOUR, "wait before the second attempt; doubles with each further one"),
  maxMs: milliseconds(HOUR, 10, 7 * DAY, "longest wait between attempts"),
  maxAttempts: count(8, 1, 100, "attempts before a job is given up"),
});

const ingest = section({
  threads: z
    .union([z.literal("auto"), z.int().min(1).max(64)])
    .default("auto")
    .transform((value) => (value === "auto" ? automaticThreads() : value))
    .meta({ description: "worker threads; auto is one a processor core, 4 at most" }),
  settleMs: milliseconds(200, 0, MINUTE, "quiet time after a write before a file is read"),
  settleEmptyMs: milliseconds(2 * SECOND, 0, 10 * MINUTE, "the same for a file that is empty"),
  maxFileBytes: bytes(50 * MIB, KIB, 2 * GIB, "larger files are listed, not read"),
  taskDeadlineMs: milliseconds(MINUTE, SECOND, HOUR, "time in which a batch of files must be read"),
  batchFiles: count(32, 1, 1000, "files of one batch"),
  batchBytes: bytes(256 * KIB, 4 * KIB, 64 * MIB, "size of one batch; a larger file travels alone"),
  maxQueuedBatches: count(8, 1, 1000, "batches that wait for a thread before producers are slowed"),
  memoryLimitBytes: bytes(
    GIB,
    256 * MIB,
    64 * GIB,
    "resident memory at which the worker process is replaced",
  ),
  idleExitMs: milliseconds(MINUTE, SECOND, DAY, "idle time after which the worker process ends"),
  graceMs: milliseconds(30 * SECOND, 0, DAY, "how long a vanished file's item is kept"),
  massGraceMs: milliseconds(10 * MINUTE, 0, 7 * DAY, "the same when many files vanish at once"),
  retry: retry.prefault({}),
});

const watch = section({
  backend: z
    .enum(["directory", "chokidar"])
    .default("chokidar")
    .meta({ description: "where hints of changes come from: chokidar, or one fs.watch a directory" }),
  reconcileMs: milliseconds(10 * MINUTE, SECOND, 7 * DAY, "time between complete scans of a watched folder"),
  pollMs: milliseconds(30 * SECOND, SECOND, DAY, "time between scans where the system gives no events"),
  maxWatches: orNone(z.int().min(1).max(100_000_000))
    .default(null)
    .meta({ description: "directories to watch; none leaves it to the system's limit" }),
});

const search = section({
  deadlineMs: milliseconds(5 * SECOND, 100, 10 * MINUTE, "time after which a search is ended"),
  memoryLimitBytes: bytes(
    GIB,
    128 * MIB,
    64 * GIB,
    "resident memory at which the search process is replaced",
  ),
  idleExitMs: milliseconds(10 * MINUTE, SECOND, 7 * DAY, "idle time after which the search process ends"),
  contentCacheBytes: bytes(32 * MIB, MIB, 16 * GIB, "texts kept in memory for reading and grep"),
  vectorCacheBytes: bytes(256 * MIB, MIB, 64 * GIB, "vectors kept in memory for searching"),
});

const base = section({
  chunkSize: count(1024, 16, 8192, "tokens a chunk aims at, in new bases"),
  chunkOverlap: count(200, 0, 8191, "tokens a chunk repeats of the one before; less than chunkSize"),
  embeddingModelId: orNone(z.string().min(1).max(200))
    .prefault(EMBEDDED_MODEL_ID)
    .meta({ description: "model of new bases; none for search by words alone" }),
  rerankModelId: orNone(z.string().min(1).max(200))
    .default(null)
    .meta({ description: "reranker of new bases" }),
  fileProcessorId: orNone(z.string().min(1).max(200))
    .default(null)
    .meta({ description: "processor of new bases, for files that knowd does not read itself" }),
});

/** Every setting. `data.dir` and `socket.path` have no default here: they depend on the machine (paths.ts). */
export const settings = z
  .strictObject({
    data,
    socket,
    log: log.prefault({}),
    limits: limits.prefault({}),
    ingest: ingest.prefault({}),
    watch: watch.prefault({}),
    search: search.prefault({}),
    base: base.prefault({}),
    embedding: embeddingSection.prefault({}),
    rerank: rerankSection.prefault({}),
    processing: processingSection.prefault({}),
    snapshot: snapshotSection.prefault({}),
  })
  .superRefine((config, context) => {
    const refuse = (path: (string | number)[], message: string): void => {
      context.addIssue({ code: "custom", path, message });
    };
    if (config.base.chunkOverlap >= config.base.chunkSize) {
      refuse(["base", "chunkOverlap"], `must be less than base.chunkSize (${config.base.chunkSize})`);
    }
    if (config.ingest.retry.maxMs < config.ingest.retry.baseMs) {
      refuse(
        ["ingest", "retry", "maxMs"],
        `must be at least ingest.retry.baseMs (${config.ingest.retry.baseMs})`,
      );
    }
    const refuseUnknown = (
      setting: string,
      id: string | null,
      noun: string,
      known: readonly string[],
    ): void => {
      if (id === null || known.includes(id)) return;
      const list = known.length > 0 ? `: ${known.join(", ")}` : "";
      refuse(["base", setting], `must be none or one of the configured ${noun}${list}`);
    };
    const idsOf = (list: readonly { readonly id: string }[]): string[] => list.map(({ id }) => id);
    const { base, embedding, processing, rerank } = config;
    refuseUnknown("fileProcessorId", base.fileProcessorId, "processors", idsOf(processing.processors));
    refuseUnknown("rerankModelId", base.rerankModelId, "rerankers", idsOf(rerank.models));
    refuseUnknown("embeddingModelId", base.embeddingModelId, "models", [
      EMBEDDED_MODEL_ID,
      ...idsOf(embedding.models),
    ]);
  });

export type Config = z.output<typeof settings>;
