import { z } from "zod";
import { endpointAddress, endpointKey, keepsOneKey, entryId, refuseSameIds } from "./endpoint-settings.ts";
import { DAY, KIB, MIB, MINUTE, SECOND, count, milliseconds } from "./setting-kinds.ts";

/** The id of the embedded model, which needs no configuration. */
export const EMBEDDED_MODEL_ID = "static-en-128";
const OLLAMA_URL = "http://127.0.0.1:11434";

const written = z.strictObject({
  id: entryId("name by which a base refers to the model"),
  provider: z.enum(["openai", "ollama"]).default("openai").meta({
    description: "openai: /embeddings of any compatible endpoint; ollama: its own /api/embed",
  }),
  url: endpointAddress(
    `openai: address up to and including the version, e.g. http://127.0.0.1:8080/v1; ollama: ${OLLAMA_URL} if left out`,
  ).optional(),
  model: z.string().min(1).max(200).optional().meta({ description: "the endpoint's name of the model" }),
  ...endpointKey,
  keepAliveMs: z
    .int()
    .min(0)
    .max(365 * DAY)
    .optional()
    .meta({ description: "ollama: how long it keeps the model in memory after a request", unit: "ms" }),
  dimensions: z.int().min(1).max(16_384).optional().meta({
    description: "asked of the endpoint and expected in its answers; left out, it is found out once",
  }),
  batchSize: count(32, 1, 256, "texts in one request, at most"),
  batchCharacters: count(200_000, KIB, 16 * MIB, "characters in one request, at most (one text always fits)"),
  maxConcurrent: count(2, 1, 64, "requests at a time"),
  timeoutMs: milliseconds(60 * SECOND, SECOND, 5 * MINUTE, "time that one request may take"),
  queryPrefix: z.string().max(KIB).optional().meta({
    description: "put before each query",
  }),
  documentPrefix: z.string().max(KIB).optional().meta({
    description: "put before each chunk",
  }),
  resume: z.enum(["ask", "always"]).optional().meta({
    description:
      "after a crash: wait for a word, since requests may cost money, or go on; left out, openai asks and ollama goes on",
  }),
  fusion: z.enum(["rrf", "convex"]).default("rrf").meta({
    description: "how its list is fused with the words': rrf for strong models, convex for weak ones",
  }),
});

type Written = z.output<typeof written>;
type Provider = Written["provider"];

/** What only some providers know. */
const ownSettings: Readonly<Partial<Record<keyof Written, readonly Provider[]>>> = {
  keepAliveMs: ["ollama"],
};
const needed: Readonly<Record<Provider, readonly (keyof Written)[]>> = {
  openai: ["url", "model"],
  ollama: ["model"],
};

/** One `[[embedding.models]]` table. The key itself never stands in it. */
export const embeddingModel = written
  .superRefine((model, context) => {
    const refuse = (field: string, message: string): void =>
      context.addIssue({ code: "custom", path: [field], message });
    for (const field of needed[model.provider])
      if (model[field] === undefined) refuse(field, `is missing: the provider ${model.provider} needs it`);
    for (const [field, providers] of Object.entries(ownSettings)) {
      if (model[field as keyof Written] !== undefined && !providers.includes(model.provider))
        refuse(field, `is no setting of the provider ${model.provider}, but of ${providers.join(" and ")}`);
    }
  })
  .refine(...keepsOneKey)
  .transform(settled);

/** A model behind HTTP. */
export type HttpModelSettings = Omit<Written, "url" | "model" | "resume"> & {
  readonly url: string;
  readonly model: string;
  readonly resume: "ask" | "always";
};
export type EmbeddingModelSettings = HttpModelSettings;

/** After the checks above, with what is left out filled in. */
function settled(model: Written): EmbeddingModelSettings {
  const resume = model.resume ?? (model.provider === "openai" ? "ask" : "always");
  return { ...model, url: model.url ?? OLLAMA_URL, model: model.model ?? "", resume };
}

export const embeddingSection = z
  .strictObject({
    models: z
      .array(embeddingModel)
      .max(32)
      .default([])
      .meta({ description: "more models, each an [[embedding.models]] table" }),
    cacheDays: count(7, 1, 3650, "days that a vector from a configured model is kept after its last use"),
  })
  .superRefine(({ models }, context) => refuseSameIds(models, "model", [EMBEDDED_MODEL_ID], context));

export type EmbeddingSettings = z.infer<typeof embeddingSection>;
