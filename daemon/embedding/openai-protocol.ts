import { vectorsOfAnswer } from "./openai-answer.ts";
import type { EmbeddingProtocol } from "./protocol.ts";

/** `POST {url}/embeddings`, as OpenAI, LM Studio, llama.cpp, vLLM and others take it. */
export function createOpenAiProtocol(): EmbeddingProtocol {
  // Base64 takes a quarter of the bytes, and a fiftieth of the time to read; many servers know it, and some refuse it.
  let asksBase64 = true;
  return {
    path: "/embeddings",
    body: ({ model, dimensions }, texts) => ({
      model,
      input: texts,
      ...(asksBase64 ? { encoding_format: "base64" } : {}),
      ...(dimensions === undefined ? {} : { dimensions }),
    }),
    vectors: vectorsOfAnswer,
    missing: ({ id, url, model }) =>
      `${url} knows no model ${model}, or has no /embeddings (404): check url and model of ${id}`,
    adapt(sent, { status, body }) {
      if (!("encoding_format" in sent) || !refusesEncoding(status, body)) return false;
      asksBase64 = false;
      return true;
    },
  };
}

function refusesEncoding(status: number, body: string): boolean {
  return (status === 400 || status === 422 || status === 501) && /encoding_format|base64/i.test(body);
}
