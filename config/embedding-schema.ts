import { z } from "zod";
import { KIB, MIB, MINUTE, SECOND, count, milliseconds } from "./setting-kinds.ts";

/** The id of the embedded model, which needs no configuration. */
export const EMBEDDED_MODEL_ID = "static-en-128";

const endpoint = z
  .url({ protocol: /^https?$/ })
  .refine((url) => !URL.canParse(url) || (new URL(url).username === "" && new URL(url).password === ""), {
    message: "must hold no user name or password: use apiKeyEnv or apiKeyFile",
  })
  .meta({
    description:
      "address up to and including the version, e.g. http://127.0.0.1:11434/v1; /embeddings is added",
  });

/** One `[[embedding.models]]` table. The key itself never stands in it. */
export const embeddingModel = z
  .strictObject({
    id: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,199}$/)
      .meta({ description: "name by which a base refers to the model" }),
    provider: z.enum(["openai"]).default("openai").meta({ description: "protocol of the endpoint" }),
    url: endpoint,
    model: z.string().min(1).max(200).meta({ description: "the endpoint's name of the model" }),
    apiKeyEnv: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
      .optional()
      .meta({ description: "environment variable that holds the key" }),
    apiKeyFile: z
      .string()
      .min(1)
      .optional()
      .meta({ description: "file that holds the key and nothing else" }),
    dimensions: z.int().min(1).max(16_384).optional().meta({
      description: "asked of the endpoint and expected in its answers; left out, it is found out once",
    }),
    batchSize: count(32, 1, 256, "texts in one request, at most"),
    batchCharacters: count(
      200_000,
      KIB,
      16 * MIB,
      "characters in one request, at most (one text always fits)",
    ),
    maxConcurrent: count(2, 1, 64, "requests at a time"),
    timeoutMs: milliseconds(60 * SECOND, SECOND, 5 * MINUTE, "time that one request may take"),
    queryPrefix: z.string().max(KIB).default("").meta({ description: "put before each query" }),
    documentPrefix: z.string().max(KIB).default("").meta({ description: "put before each chunk" }),
    resume: z
      .enum(["ask", "always"])
      .default("ask")
      .meta({ description: "after a crash: wait for a word, since requests may cost money, or go on" }),
    fusion: z.enum(["rrf", "convex"]).default("rrf").meta({
      description: "how its list is fused with the words': rrf for strong models, convex for weak ones",
    }),
  })
  .refine((model) => model.apiKeyEnv === undefined || model.apiKeyFile === undefined, {
    path: ["apiKeyFile"],
    message: "can't stand beside apiKeyEnv: keep one of them",
  });

export type EmbeddingModelSettings = z.infer<typeof embeddingModel>;

export const embeddingSection = z
  .strictObject({
    models: z
      .array(embeddingModel)
      .max(32)
      .default([])
      .meta({ description: "models behind HTTP, each an [[embedding.models]] table" }),
    cacheDays: count(7, 1, 3650, "days that a vector from an HTTP model is kept after its last use"),
  })
  .superRefine(({ models }, context) => {
    const seen = new Set<string>([EMBEDDED_MODEL_ID]);
    models.forEach((model, index) => {
      if (seen.has(model.id)) {
        context.addIssue({
          code: "custom",
          path: ["models", index, "id"],
          message: "must be unlike every other model's id",
        });
      }
      seen.add(model.id);
    });
  });

export type EmbeddingSettings = z.infer<typeof embeddingSection>;
