import { z } from "zod";
import {
  INDEX_DEADLINE_MS,
  baseId,
  itemId,
  itemTarget,
  listOf,
  locator,
  page,
  refused,
  sourceId,
  timestamp,
} from "./common.ts";
import { method } from "./define.ts";

export const itemType = z.enum(["file", "url", "note", "directory"]);
export type ItemType = z.infer<typeof itemType>;

export const itemStatus = z.enum([
  "idle",
  "preparing",
  "processing",
  "reading",
  "embedding",
  "completed",
  "failed",
  "deleting",
]);
export type ItemStatus = z.infer<typeof itemStatus>;

/** Of the bytes: empty to too_complex. Of the place: gone to io. The rest is what became of the work on it. */
export const itemFailure = z.enum([
  "empty",
  "no_text",
  "no_text_layer",
  "bad_text_layer",
  "needs_password",
  "corrupt",
  "unsupported",
  "too_large",
  "too_complex",
  "gone",
  "not_regular",
  "outside_root",
  "permission",
  "io",
  "parser_error",
  "crashed",
  "embedding",
  "processing",
]);
export type ItemFailure = z.infer<typeof itemFailure>;

export const item = z.object({
  id: itemId,
  baseId,
  groupId: itemId.nullable().describe("the directory item it stands in"),
  sourceId: sourceId.nullable().describe("the watched source it comes from"),
  type: itemType,
  status: itemStatus,
  error: z.string().nullable().describe("set exactly on failed items: a reason a person can act on"),
  failure: itemFailure
    .nullable()
    .describe("what kind of failure it is; unsupported ones are skipped, and fail no folder"),
  refreshError: z
    .string()
    .nullable()
    .describe("the last attempt to bring it up to date failed; the revision before still answers"),
  title: z.string(),
  conceptId: z.string().describe("its path inside the base; unique there"),
  path: z.string().nullable().describe("the file's absolute path"),
  url: z.string().nullable().describe("where it was captured, as it was given"),
  format: z.string().nullable().describe("what its bytes were read as, such as markdown or pdf"),
  sizeBytes: z.number().int().nullable(),
  contentHash: z.string().nullable().describe("sha256 of the extracted text"),
  chunkCount: z.number().int(),
  warnings: z.array(z.string()),
  stale: z.boolean().describe("indexed under older chunk settings"),
  missingSince: timestamp
    .nullable()
    .describe("its file was not there at the last look; hidden, deleted after the grace period"),
  changedAt: timestamp.describe("when its text was last changed: its file's time where it has one"),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type Item = z.infer<typeof item>;

export const chunk = z.object({
  unitId: z.string(),
  unitIndex: z.number().int(),
  title: z.string(),
  headings: z.array(z.string()),
  locator: locator.nullable(),
  charStart: z.number().int(),
  charEnd: z.number().int(),
  text: z.string(),
});

export const treeNode = z.object({
  id: itemId,
  depth: z.number().int(),
  type: itemType,
  status: itemStatus,
  title: z.string(),
  conceptId: z.string().nullable().describe("only on completed leaves"),
  url: z.string().nullable().describe("of a captured URL"),
  refreshError: z.string().nullable().describe("why what is shown is not the newest"),
  children: z.number().int().describe("direct children, without deleting ones"),
});
export type TreeNode = z.infer<typeof treeNode>;

const newNote = z.strictObject({
  content: z.string().describe("Markdown"),
  title: z.string().max(300).optional().describe("else its first heading, else its first line"),
});
export type NewNote = z.infer<typeof newNote>;

const addedPath = z.string().describe("as it was given; of a note its first line");

/** What became of files, folders and notes that were to be added. */
export const addedFields = {
  added: z.array(z.object({ itemId, path: addedPath, conceptId: z.string() })),
  conflicts: z.array(z.object({ path: addedPath, itemId })),
  failed: z.array(z.object({ path: addedPath, reason: z.string() })),
};

/** K5.4 */
const onConflict = z
  .enum(["rename", "detect", "replace"])
  .default("rename")
  .describe("what to do with what is there already: keep both, add nothing and say so, or replace it");

/** What may be added to a base, and how. */
export const toAdd = {
  paths: z
    .array(z.string().min(1).max(4096))
    .max(1000)
    .default([])
    .describe("absolute paths of files or folders"),
  urls: z
    .array(z.string().min(1).max(4096))
    .max(1000)
    .default([])
    .describe("addresses of pages, PDFs and texts to capture (see snapshot.capture)"),
  notes: z.array(newNote).max(1000).default([]).describe("Markdown texts to keep"),
  onConflict,
};

const exampleItem = "01932c07-4a3f-7b6e-9a52-0c5f0e9d7a11";
const exampleBase = "3f0f7f4e-7d3b-4b43-9d7e-6e8f6f6e2a10";

export const itemMethods = {
  "item.add": method({
    params: z
      .strictObject({
        baseId,
        ...toAdd,
      })
      .refine(({ paths, urls, notes }) => paths.length + urls.length + notes.length > 0, {
        error: "paths, urls or notes must name something to add",
        path: ["paths"],
      }),
    result: z.object(addedFields),
    errors: ["BASE_NOT_FOUND", "PATH_INVALID"],
    access: "write",
    scope: "named",
    doc: "Copy files or folders into a base, capture URLs, or keep notes in it (to follow a folder instead, see source.add).",
    example: { baseId: exampleBase, paths: ["/home/me/paper.pdf"] },
    deadlineMs: 600_000,
  }),
  "item.list": method({
    params: z.strictObject({
      baseId,
      groupId: itemId
        .nullable()
        .optional()
        .describe("children of this directory; null for root items; leave out for all"),
      type: itemType.optional(),
      status: itemStatus.optional(),
      warned: z.boolean().default(false).describe("only completed items with warnings"),
      ...page,
    }),
    result: listOf(item),
    errors: ["BASE_NOT_FOUND", "CURSOR_INVALID"],
    scope: "named",
    doc: "List a base's items, newest first.",
    example: { baseId: exampleBase },
  }),
  "item.get": method({
    params: z.strictObject({ itemId }),
    result: z.object({ item }),
    errors: ["ITEM_NOT_FOUND"],
    scope: "named",
    doc: "Show one item.",
    example: { itemId: exampleItem },
  }),
  "item.find": method({
    params: z.strictObject(itemTarget),
    result: z.object({ items: z.array(item).describe("none when nothing stands there") }),
    errors: ["INVALID_FIELD"],
    scope: "own",
    doc: "Find the items of a path: an absolute one may stand in several bases.",
    example: { path: "/home/me/notes/keys.md" },
  }),
  "item.tree": method({
    params: z.strictObject({ baseId, limit: z.number().int().min(1).max(1000).default(1000) }),
    result: z.object({ nodes: z.array(treeNode), truncated: z.boolean() }),
    errors: ["BASE_NOT_FOUND"],
    scope: "named",
    doc: "Show a base's items as a tree, depth first.",
    example: { baseId: exampleBase },
  }),
  "item.chunks": method({
    params: z.strictObject({ itemId, ...page }),
    result: listOf(chunk),
    errors: ["ITEM_NOT_FOUND", "ITEM_NOT_READABLE", "CURSOR_INVALID"],
    scope: "named",
    doc: "List an item's chunks in their order.",
    example: { itemId: exampleItem },
    deadlineMs: INDEX_DEADLINE_MS,
  }),
  "item.reindex": method({
    params: z.strictObject({ itemIds: z.array(itemId).min(1).max(1000) }),
    result: z.object({ queued: z.number().int(), refused, notFound: z.array(itemId) }),
    errors: [],
    access: "write",
    scope: "own",
    doc: "Read, chunk and embed items again (a directory stands for all below it).",
    example: { itemIds: [exampleItem] },
  }),
  "item.delete": method({
    params: z.strictObject({ itemIds: z.array(itemId).min(1).max(1000) }),
    result: z.object({ deleted: z.number().int(), notFound: z.array(itemId) }),
    errors: [],
    access: "write",
    scope: "own",
    doc: "Delete items with all below them; a watched file is put on its source's exclude list, the file itself is never touched.",
    example: { itemIds: [exampleItem] },
    deadlineMs: 120_000,
  }),
};
