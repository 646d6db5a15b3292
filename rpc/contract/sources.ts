import { z } from "zod";
import { baseId, empty, itemId, listOf, page, sourceId, timestamp } from "./common.ts";
import { method } from "./define.ts";

/**
 * scanning: a complete scan is under way. watching: changes are followed as they happen. polling: changes are found by
 * scans alone (no watches left, or a network mount). paused: by the user. unavailable: the root can't be read. removing: its items are on their way out.
 */
export const sourceState = z.enum(["scanning", "watching", "polling", "paused", "unavailable", "removing"]);
export type SourceState = z.infer<typeof sourceState>;

/** As `ingest.maxFileBytes` of the settings has it. */
const MAX_FILE_BYTES = 2 * 1024 ** 3;

export const sourceRules = {
  include: z
    .array(z.string().min(1).max(500))
    .max(100)
    .describe("gitignore patterns: only what matches one is taken; empty takes all"),
  exclude: z
    .array(z.string().min(1).max(4200))
    .max(10_000)
    .describe("gitignore patterns left out, beside .gitignore and .knowdignore"),
  useIgnoreFiles: z.boolean().describe("follow .gitignore and .knowdignore"),
  hidden: z.boolean().describe("take hidden files and folders too"),
  maxFileBytes: z
    .number()
    .int()
    .min(1)
    .max(MAX_FILE_BYTES)
    .describe("a larger file is listed as failed with its size"),
};

const copy = z
  .boolean()
  .describe("keep a copy of each file in the base, so that it can be opened when the folder is away");

export const source = z.object({
  id: sourceId,
  baseId,
  itemId: itemId.describe("the directory item at its root"),
  path: z.string().describe("the folder's absolute path"),
  state: sourceState,
  stateReason: z.string().nullable(),
  ...sourceRules,
  copy,
  files: z.number().int().describe("files known in it"),
  lastScanAt: timestamp.nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type Source = z.infer<typeof source>;

const rulesPatch = z.object(sourceRules).partial().shape;
const one = z.strictObject({ sourceId });
const example = { sourceId: "01932c07-4a3f-7b6e-9a52-0c5f0e9d7a12" };
const answer = z.object({ source });

export const sourceMethods = {
  "source.add": method({
    params: z.strictObject({
      baseId,
      path: z.string().min(1).max(4096),
      copy: copy.default(false),
      ...rulesPatch,
    }),
    result: answer,
    errors: ["BASE_NOT_FOUND", "SOURCE_EXISTS", "PATH_INVALID", "PATH_NOT_FOUND"],
    access: "write",
    doc: "Watch a folder: its files are indexed in place and followed from then on.",
    example: { baseId: "3f0f7f4e-7d3b-4b43-9d7e-6e8f6f6e2a10", path: "/home/me/notes" },
  }),
  "source.list": method({
    params: z.strictObject({ baseId: baseId.optional(), ...page }),
    result: listOf(source),
    errors: ["BASE_NOT_FOUND", "CURSOR_INVALID"],
    scope: "own",
    doc: "List the watched folders.",
    example: {},
  }),
  "source.update": method({
    params: z.strictObject({ sourceId, ...rulesPatch }),
    result: answer,
    errors: ["SOURCE_NOT_FOUND"],
    access: "write",
    doc: "Change what a source takes; the folder is scanned again.",
    example: { ...example, exclude: ["drafts/"] },
  }),
  "source.pause": method({
    params: one,
    result: answer,
    errors: ["SOURCE_NOT_FOUND"],
    access: "write",
    scope: "named",
    doc: "Stop following a folder; what was indexed still answers.",
    example,
  }),
  "source.resume": method({
    params: one,
    result: answer,
    errors: ["SOURCE_NOT_FOUND"],
    access: "write",
    scope: "named",
    doc: "Follow a paused folder again, after a complete scan.",
    example,
  }),
  "source.rescan": method({
    params: one,
    result: z.object({ changed: z.number().int(), gone: z.number().int(), files: z.number().int() }),
    errors: ["SOURCE_NOT_FOUND", "SOURCE_UNAVAILABLE"],
    access: "write",
    scope: "named",
    doc: "Compare a folder with what is known of it, completely, and answer when the comparison is done.",
    example,
    deadlineMs: 600_000,
  }),
  "source.sync": method({
    params: z.strictObject({ sourceId: sourceId.optional(), baseId: baseId.optional() }),
    result: z.object({
      failed: z.number().int().describe("files that could not be indexed"),
      freshInstance: z
        .boolean()
        .describe(
          "the folders were compared completely, since events before this daemon's start can't be vouched for",
        ),
    }),
    errors: ["SOURCE_NOT_FOUND", "BASE_NOT_FOUND", "SOURCE_UNAVAILABLE"],
    scope: "own",
    doc: "Answer once all that was written before the call is searchable (one source, a base's, or all).",
    example: {},
    deadlineMs: 3_600_000,
  }),
  "source.remove": method({
    params: one,
    result: empty,
    errors: ["SOURCE_NOT_FOUND"],
    access: "write",
    scope: "named",
    doc: "Stop watching a folder and take its items out of the base; the files themselves are never touched.",
    example,
    deadlineMs: 120_000,
  }),
};
