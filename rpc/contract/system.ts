import { z } from "zod";
import { empty, itemId, timestamp } from "./common.ts";
import { method } from "./define.ts";

/** A change that clients may follow; `seq` grows by one with each and never restarts. */
export const change = z.object({
  seq: z.number().int().positive(),
  at: timestamp,
  entity: z.enum(["base", "item", "source", "job"]),
  action: z.enum(["created", "updated", "deleted"]),
  id: z.union([z.string(), z.number().int()]),
  baseId: z.string().nullable(),
  status: z.string().nullable().describe("the item's status or the source's state after the change"),
});
export type Change = z.infer<typeof change>;

const hostState = z.object({
  state: z.enum(["stopped", "starting", "ready", "failed"]),
  pid: z.number().int().nullable(),
  restarts: z.number().int(),
  rssBytes: z.number().int().nullable(),
});

export const systemStatus = z.object({
  version: z.string(),
  pid: z.number().int(),
  startedAt: timestamp,
  uptimeMs: z.number(),
  dataDir: z.string(),
  socketPath: z.string(),
  bases: z.number().int(),
  sources: z.object({
    total: z.number().int(),
    watching: z.number().int(),
    polling: z.number().int(),
    unavailable: z.number().int(),
    scanning: z.number().int(),
  }),
  items: z.object({
    total: z.number().int(),
    completed: z.number().int(),
    failed: z.number().int().describe("without skipped ones"),
    skipped: z.number().int().describe("of a type that is not read"),
    warned: z.number().int().describe("completed ones with warnings"),
    active: z.number().int(),
  }),
  chunks: z.number().int(),
  queue: z.object({
    queued: z.number().int(),
    running: z.number().int(),
    parked: z.number().int(),
    failed: z.number().int(),
  }),
  idle: z
    .boolean()
    .describe(
      "nothing that can be done waits or runs, no scan is under way; the files of an unavailable source wait for it",
    ),
  processing: z
    .array(
      z.object({
        itemId,
        conceptId: z.string(),
        processorId: z.string(),
        since: timestamp,
        done: z.number().describe("steps, such as pages"),
        total: z.number().nullable().describe("null while it is not known"),
      }),
    )
    .describe("files that external processors work on right now"),
  filesPerSecond: z.number().describe("over the last five seconds"),
  embedding: z.array(
    z.object({ id: z.string(), dimensions: z.number().int().nullable(), state: z.string() }),
  ),
  hosts: z.object({ worker: hostState, search: hostState }),
  rssBytes: z.number().int(),
  loopDelayP99Ms: z.number(),
  warnings: z.array(z.string()).describe("what a person should know, each with what to do"),
});
export type SystemStatus = z.infer<typeof systemStatus>;

export const systemMethods = {
  "system.status": method({
    params: empty,
    result: systemStatus,
    scope: "own",
    doc: "Show what the daemon is doing.",
    example: {},
  }),
  "system.formats": method({
    params: empty,
    result: z.object({
      formats: z.array(
        z.object({
          format: z.string().describe("as items and the search filter `types` name it"),
          name: z.string().describe("for people"),
          extensions: z.array(z.string()).describe("usual ones; what a file is, its bytes decide"),
          library: z.string().describe("what reads it"),
          reader: z.string().describe("the reader with its version; files are read again when it is raised"),
        }),
      ),
      processors: z.array(
        z.object({ id: z.string(), extensions: z.array(z.string()), when: z.enum(["unreadable", "always"]) }),
      ),
    }),
    scope: "open",
    doc: "List the formats that are read, and the external processors that are configured.",
    example: {},
  }),
  "system.methods": method({
    params: empty,
    result: z.object({
      methods: z.array(
        z.object({
          name: z.string(),
          doc: z.string(),
          access: z.string(),
          tool: z.boolean().describe("meant for agents"),
          params: z.record(z.string(), z.unknown()).describe("JSON Schema"),
          result: z.record(z.string(), z.unknown()).describe("JSON Schema"),
          errors: z.array(z.string()),
          example: z.unknown(),
        }),
      ),
    }),
    scope: "open",
    doc: "List every method that this connection may call, with the JSON Schemas of its params and result.",
    example: {},
  }),
  "system.shutdown": method({
    params: empty,
    result: empty,
    access: "admin",
    doc: "Stop the daemon as SIGTERM does: answer, drain, close.",
    example: {},
  }),
  "events.subscribe": method({
    params: z.strictObject({
      entities: z
        .array(z.enum(["base", "item", "source", "job"]))
        .min(1)
        .optional(),
    }),
    result: z.object({ seq: z.number().int().describe("the last change before the subscription") }),
    scope: "own",
    doc: "Send this connection an `events.change` notification for each change from now on.",
    example: {},
  }),
  "events.unsubscribe": method({
    params: empty,
    result: empty,
    scope: "open",
    doc: "Send no more `events.change` notifications.",
    example: {},
  }),
  "changes.since": method({
    params: z.strictObject({
      seq: z.number().int().min(0),
      limit: z.number().int().min(1).max(1000).default(1000),
    }),
    result: z.object({
      changes: z.array(change),
      seq: z.number().int().describe("pass it next time"),
      reset: z.boolean().describe("changes before seq are no longer kept: read the lists again"),
      more: z.boolean(),
    }),
    scope: "own",
    doc: "Replay the changes after a sequence number.",
    example: { seq: 0 },
  }),
};
