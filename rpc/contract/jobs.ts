import { z } from "zod";
import { baseId, empty, itemId, listOf, page, sourceId, timestamp } from "./common.ts";
import { method } from "./define.ts";

export const jobKind = z.enum(["index", "process", "delete"]);
export type JobKind = z.infer<typeof jobKind>;

/** queued: waits (until runAfter). running: claimed. parked: waits for a person's word. failed: gave up. */
export const jobState = z.enum(["queued", "running", "parked", "failed"]);
export type JobState = z.infer<typeof jobState>;

export const job = z.object({
  id: z.number().int(),
  kind: jobKind,
  state: jobState,
  baseId,
  itemId,
  sourceId: sourceId.nullable(),
  priority: z.number().int().describe("lower runs first: 0 deletes, 10 interactive, 20 bulk"),
  attempts: z.number().int(),
  runAfter: timestamp,
  error: z.string().nullable(),
  createdAt: timestamp,
});
export type Job = z.infer<typeof job>;

const jobId = z.number().int().positive();

export const jobMethods = {
  "job.list": method({
    params: z.strictObject({ baseId: baseId.optional(), state: jobState.optional(), ...page }),
    result: listOf(job),
    errors: ["CURSOR_INVALID"],
    scope: "own",
    doc: "List the work that waits, runs, is parked or failed.",
    example: {},
  }),
  "job.cancel": method({
    params: z.strictObject({ jobId }),
    result: empty,
    errors: ["JOB_NOT_FOUND", "ITEM_DELETING"],
    access: "write",
    scope: "named",
    doc: "Take a job out of the queue, or abort it while it runs; deletes always finish.",
    example: { jobId: 1 },
  }),
  "job.retry": method({
    params: z.strictObject({ jobId: jobId.optional().describe("leave out for all failed and parked jobs") }),
    result: z.object({ queued: z.number().int() }),
    errors: ["JOB_NOT_FOUND"],
    access: "write",
    scope: "own",
    doc: "Queue failed or parked work again.",
    example: {},
  }),
};
