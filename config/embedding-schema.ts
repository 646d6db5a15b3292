import { z } from "zod";
import { endpointAddress, endpointKey, keepsOneKey, entryId, refuseSameIds } from "./endpoint-settings.ts";
import { DAY, KIB, MIB, MINUTE, SECOND, count, milliseconds } from "./setting-kinds.ts";

/** The id of the embedded model, which needs no configuration. */
export const EMBEDDED_MODEL_ID = "static-en-128";
const OLLAMA_URL = "http://127.0.0.1:11434";

const written = z.strictObject({
  id: entryId("name by which a base refers to the model"),
  provider: z.enum(["openai", "ollama", "onnx"]).default("openai").meta({
    description: "openai: /embeddings of any compatible endpoint; ollama: its own /api/embed; onnx: a folder",
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
  folder: z.string().min(1).optional().meta({
    description: "onnx: folder of a sentence model (model.onnx or onnx/model.onnx, tokenizer.json)",
  }),
  modelFile: z
    .string()
    .min(1)
    .max(500)
    .regex(/^[^/\\]+([/\\][^/\\]+)*$/)
    .optional()
    .meta({ description: "onnx: another file of the folder, such as onnx/model_quantized.onnx" }),
  pooling: z.enum(["mean", "cls", "last"]).optional().meta({
    description: "onnx: how tokens become one vector; left out, what the folder says, else mean",
  }),
  maxTokens: z.int().min(8).max(32_768).optional().meta({
    description: "onnx: tokens of a text that count; left out, what the folder says, else 512",
  }),
  threads: count(1, 1, 64, "onnx: processor threads that one text is computed on"),
  dimensions: z.int().min(1).max(16_384).optional().meta({
    description: "asked of the endpoint and expected in its answers; left out, it is found out once",
  }),
  batchSize: count(32, 1, 256, "texts in one request, at most"),
  batchCharacters: count(200_000, KIB, 16 * MIB, "characters in one request, at most (one text always fits)"),
  maxConcurrent: count(2, 1, 64, "requests at a time"),
  timeoutMs: milliseconds(60 * SECOND, SECOND, 5 * MINUTE, "time that one request may take"),
  queryPrefix: z.string().max(KIB).optional().meta({
    description: "put before each query; onnx: left out, what the folder says",
  }),
  documentPrefix: z.string().max(KIB).optional().meta({
    description: "put before each chunk; onnx: left out, what the folder says",
  }),
  resume: z.enum(["ask", "always"]).optional().meta({
    description:
      "after a crash: wait for a word, since requests may cost money, or go on; left out, openai asks and the others go on",
  }),
  fusion: z.enum(["rrf", "convex"]).default("rrf").meta({
    description: "how its list is fused with the words': rrf for strong models, convex for weak ones",
  }),
});

type Written = z.output<typeof written>;
type Provider = Written["provider"];

/** What only some providers know. */
const ownSettings: Readonly<Partial<Record<keyof Written, readonly Provider[]>>> = {
  url: ["openai", "ollama"],
  model: ["openai", "ollama"],
  apiKeyEnv: ["openai", "ollama"],
  apiKeyFile: ["openai", "ollama"],
  keepAliveMs: ["ollama"],
  folder: ["onnx"],
  modelFile: ["onnx"],
  pooling: ["onnx"],
  maxTokens: ["onnx"],
};
const needed: Readonly<Record<Provider, readonly (keyof Written)[]>> = {
  openai: ["url", "model"],
  ollama: ["model"],
  onnx: ["folder"],
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
export type HttpModelSettings = Omit<Written, "provider" | "url" | "model" | "resume" | OnnxSetting> & {
  readonly provider: "openai" | "ollama";
  readonly url: string;
  readonly model: string;
  readonly resume: "ask" | "always";
};
/** A model in a local folder. */
export type OnnxModelSettings = Omit<Written, "provider" | "folder" | "resume" | HttpSetting> & {
  readonly provider: "onnx";
  readonly folder: string;
  readonly resume: "ask" | "always";
};
type OnnxSetting = "folder" | "modelFile" | "pooling" | "maxTokens" | "threads";
type HttpSetting = "url" | "model" | "apiKeyEnv" | "apiKeyFile" | "keepAliveMs" | "maxConcurrent";
export type EmbeddingModelSettings = HttpModelSettings | OnnxModelSettings;

/** After the checks above, with what is left out filled in. */
function settled(model: Written): EmbeddingModelSettings {
  const resume = model.resume ?? (model.provider === "openai" ? "ask" : "always");
  if (model.provider === "onnx") return { ...model, provider: "onnx", folder: model.folder ?? "", resume };
  const { folder: _f, modelFile: _m, pooling: _p, maxTokens: _t, threads: _n, ...rest } = model;
  return {
    ...rest,
    provider: model.provider,
    url: model.url ?? OLLAMA_URL,
    model: model.model ?? "",
    resume,
  };
}

export const embeddingSection = z
  .strictObject({
    models: z
      .array(embeddingModel)
      .max(32)
      .default([])
      .meta({ description: "more models, each an [[embedding.models]] table" }),
    cacheDays: count(7, 1, 3650, "days that a vector from a configured model is kept after its last use"),
    onnxPackages: z.string().min(1).optional().meta({
      description: "folder in which onnxruntime-node and @huggingface/tokenizers are installed",
      fallback: "onnx in data.dir",
    }),
  })
  .superRefine(({ models }, context) => refuseSameIds(models, "model", [EMBEDDED_MODEL_ID], context));

export type EmbeddingSettings = z.infer<typeof embeddingSection>;
