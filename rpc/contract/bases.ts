import { z } from "zod";
import { baseId, empty, listOf, page, refused, timestamp } from "./common.ts";
import { method } from "./define.ts";

export const baseStatus = z.enum(["completed", "failed"]);
export const baseError = z.enum(["missing_embedding_model", "missing_vector_store"]);
export const chunkStrategy = z.enum(["structured", "delimiter"]);

/** What a user may set on a base. Sizes are tokens. */
export const baseSettings = {
  chunkSize: z.number().int().min(16).max(8192).describe("tokens a chunk aims at"),
  chunkOverlap: z.number().int().min(0).describe("tokens a chunk repeats of the one before; under chunkSize"),
  chunkStrategy,
  chunkSeparator: z
    .string()
    .min(1)
    .max(64)
    .nullable()
    .describe("delimiter strategy only; escapes \\n \\t \\r \\\\ are decoded"),
  chunkHard: z.boolean().describe("delimiter strategy only: cut at every separator"),
  threshold: z.number().min(0).max(1).nullable().describe("drops hits of scoreKind relevance below it"),
  documentCount: z
    .number()
    .int()
    .positive()
    .max(200)
    .nullable()
    .describe("hits a search answers; null is 10"),
  rerankModelId: z.string().min(1).max(200).nullable(),
  fileProcessorId: z.string().min(1).max(200).nullable(),
  groupId: z.string().min(1).max(200).nullable(),
  substring: z.boolean().describe("keep a trigram index that speeds up grep over the whole base"),
};

export const base = z.object({
  id: baseId,
  name: z.string(),
  embeddingModelId: z.string().nullable(),
  dimensions: z.number().int().positive().nullable(),
  status: baseStatus,
  error: baseError.nullable(),
  ...baseSettings,
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type Base = z.infer<typeof base>;

/** What a base holds and what is going on in it. */
export const baseCounts = z.object({
  items: z.number().int().describe("leaf items, without deleting ones"),
  completed: z.number().int(),
  failed: z.number().int().describe("without skipped ones"),
  skipped: z.number().int().describe("of a type that is not read: listed, not tried again until they change"),
  warned: z
    .number()
    .int()
    .describe("completed ones of which something could not be read: their warnings say what"),
  active: z.number().int().describe("waiting or being worked on"),
  stale: z.number().int().describe("indexed under older chunk settings"),
  chunks: z.number().int(),
});
export type BaseCounts = z.infer<typeof baseCounts>;

export const baseActivity = z.enum(["idle", "indexing", "rebuilding", "deleting"]);
export const baseView = base.extend({ counts: baseCounts, activity: baseActivity });
export type BaseView = z.infer<typeof baseView>;

const name = z.string().trim().min(1).max(200);
const settingsPatch = z.object(baseSettings).partial().shape;

export const baseMethods = {
  "base.create": method({
    params: z.strictObject({
      name,
      embeddingModelId: z
        .string()
        .min(1)
        .nullable()
        .optional()
        .describe("default the configured base.embeddingModelId; null for a BM25-only base"),
      ...settingsPatch,
    }),
    result: z.object({ base: baseView }),
    errors: ["MODEL_NOT_FOUND", "MODEL_UNAVAILABLE", "INVALID_FIELD", "BASE_NAME_TAKEN"],
    access: "write",
    doc: "Make a knowledge base.",
    example: { name: "notes" },
  }),
  "base.list": method({
    params: z.strictObject({ ...page }),
    result: listOf(baseView),
    errors: ["CURSOR_INVALID"],
    scope: "own",
    doc: "List the bases, newest first.",
    example: {},
  }),
  "base.get": method({
    params: z.strictObject({ baseId }),
    result: z.object({ base: baseView }),
    errors: ["BASE_NOT_FOUND"],
    scope: "named",
    doc: "Show one base with its counts.",
    example: { baseId: "3f0f7f4e-7d3b-4b43-9d7e-6e8f6f6e2a10" },
  }),
  "base.update": method({
    params: z.strictObject({ baseId, name: name.optional(), ...settingsPatch }),
    result: z.object({ base: baseView }),
    errors: ["BASE_NOT_FOUND", "INVALID_FIELD", "BASE_NAME_TAKEN"],
    access: "write",
    doc: "Change a base's settings; items under older chunk settings are counted as stale.",
    example: { baseId: "3f0f7f4e-7d3b-4b43-9d7e-6e8f6f6e2a10", documentCount: 20 },
  }),
  "base.enableEmbedding": method({
    params: z.strictObject({ baseId, embeddingModelId: z.string().min(1) }),
    result: z.object({ base: baseView }),
    errors: ["BASE_NOT_FOUND", "MODEL_NOT_FOUND", "MODEL_UNAVAILABLE", "BASE_NOT_EMPTY"],
    access: "write",
    doc: "Give a BM25-only base an embedding model, or a base its own when that has become another one; its items are embedded in the background.",
    example: { baseId: "3f0f7f4e-7d3b-4b43-9d7e-6e8f6f6e2a10", embeddingModelId: "static-en-128" },
  }),
  "base.restore": method({
    params: z.strictObject({
      baseId,
      name: name.optional(),
      embeddingModelId: z.string().min(1).nullable().optional(),
    }),
    result: z.object({
      base: baseView,
      added: z.number().int(),
      skipped: z.number().int().describe("items whose source is missing"),
      unverified: z.number().int().describe("items kept though their source could not be checked"),
    }),
    errors: ["BASE_NOT_FOUND", "MODEL_NOT_FOUND", "MODEL_UNAVAILABLE", "BASE_NAME_TAKEN"],
    access: "write",
    doc: "Clone a base's root items into a new base with a model of choice; the old base is untouched.",
    example: { baseId: "3f0f7f4e-7d3b-4b43-9d7e-6e8f6f6e2a10", embeddingModelId: null },
    deadlineMs: 120_000,
  }),
  "base.reindex": method({
    params: z.strictObject({ baseId, staleOnly: z.boolean().default(false) }),
    result: z.object({ queued: z.number().int(), refused }),
    errors: ["BASE_NOT_FOUND", "MODEL_UNAVAILABLE"],
    access: "write",
    scope: "named",
    doc: "Read, chunk and embed the base's items again; old revisions answer until the new ones are in. When the model behind the base's id has become another one, its vectors are made anew by that.",
    example: { baseId: "3f0f7f4e-7d3b-4b43-9d7e-6e8f6f6e2a10" },
  }),
  "base.check": method({
    params: z.strictObject({ baseId }),
    result: z.object({
      ok: z.boolean(),
      problems: z.array(
        z.object({ kind: z.string(), count: z.number().int(), example: z.string().optional() }),
      ),
      units: z.number().int(),
      vectors: z.number().int(),
    }),
    errors: ["BASE_NOT_FOUND", "BASE_UNAVAILABLE"],
    scope: "named",
    doc: "Check that index, word index, vectors and catalogue agree.",
    example: { baseId: "3f0f7f4e-7d3b-4b43-9d7e-6e8f6f6e2a10" },
    deadlineMs: 300_000,
  }),
  "base.delete": method({
    params: z.strictObject({ baseId }),
    result: empty,
    errors: ["BASE_NOT_FOUND"],
    access: "write",
    doc: "Delete a base with its index and the material it owns; watched files themselves are never touched.",
    example: { baseId: "3f0f7f4e-7d3b-4b43-9d7e-6e8f6f6e2a10" },
    deadlineMs: 120_000,
  }),
};
