import { z } from "zod";
import { endpointAddress, endpointKey, entryId, keepsOneKey, refuseSameIds } from "./endpoint-settings.ts";
import { MINUTE, SECOND, count, milliseconds } from "./setting-kinds.ts";

/** One `[[rerank.models]]` table. The key itself never stands in it. */
export const rerankModel = z
  .strictObject({
    id: entryId("name by which a base refers to the reranker"),
    provider: z.enum(["cohere", "tei"]).default("cohere").meta({
      description: "cohere: what Cohere, Jina, llama.cpp and vLLM take; tei: text-embeddings-inference",
    }),
    url: endpointAddress(
      "address up to and including the version, e.g. http://127.0.0.1:8080/v1; /rerank is added",
    ),
    model: z.string().min(1).max(200).optional().meta({ description: "the endpoint's name of the model" }),
    ...endpointKey,
    timeoutMs: milliseconds(
      10 * SECOND,
      100,
      5 * MINUTE,
      "time that one request may take; a search may have less",
    ),
    maxConcurrent: count(4, 1, 64, "requests at a time"),
    maxDocuments: count(200, 1, 1000, "passages of one request, at most"),
    maxCharacters: count(4000, 100, 100_000, "characters of a passage that are sent"),
  })
  .refine(...keepsOneKey);

export type RerankModelSettings = z.infer<typeof rerankModel>;

export const rerankSection = z
  .strictObject({
    models: z
      .array(rerankModel)
      .max(32)
      .default([])
      .meta({ description: "rerankers behind HTTP, each a [[rerank.models]] table" }),
  })
  .superRefine(({ models }, context) => refuseSameIds(models, "model", [], context));

export type RerankSettings = z.infer<typeof rerankSection>;
