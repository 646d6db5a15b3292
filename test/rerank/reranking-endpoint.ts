import { rerankModel, type RerankModelSettings } from "../../config/rerank-schema.ts";
import type { Reranker } from "../../daemon/rerank/reranker.ts";
import { openRerankers } from "../../daemon/rerank/rerankers.ts";
import { send, type Answer } from "../embedding/endpoint.ts";

/** Scores of /v1/rerank, best first as services give them. */
export const sendScores =
  (scoreOf: (text: string) => number): Answer =>
  (asked) => {
    const results = asked.texts
      .map((text, index) => ({ index, relevance_score: scoreOf(text) }))
      .toSorted((a, b) => b.relevance_score - a.relevance_score);
    send(asked, 200, { model: "test-model", results });
  };

export function openTestReranker(
  url: string,
  over: Partial<RerankModelSettings> = {},
  key: string | null = null,
): Reranker {
  const settings = rerankModel.parse({ id: "r", url, model: "test-model", ...over });
  return openRerankers({ config: { models: [settings] }, apiKey: () => Promise.resolve(key) }).get("r")!;
}
