import { listOfAnswer, MalformedAnswer, takenAt, takeVectors } from "./answer-vectors.ts";
import type { EmbeddingProtocol } from "./protocol.ts";

/**
 * Ollama's own `POST {url}/api/embed`. It cuts what is longer than the model's context off without a word unless it is told
 * not to; then it refuses, and the text's owner learns of it.
 */
export function createOllamaProtocol(): EmbeddingProtocol {
  return {
    path: "/api/embed",
    body: ({ model, dimensions, keepAliveMs }, texts) => ({
      model,
      input: texts,
      truncate: false,
      ...(keepAliveMs === undefined ? {} : { keep_alive: `${keepAliveMs}ms` }),
      ...(dimensions === undefined ? {} : { dimensions }),
    }),
    vectors: readAnswer,
    missing: ({ id, url, model }, said) =>
      said === ""
        ? `${url} has no /api/embed (404): url of ${id} must be Ollama's address without a path, and Ollama 0.3 or newer`
        : `${url} does not have the model ${model} (404): ollama pull ${model}, or set another model of ${id}`,
  };
}

async function readAnswer(body: string, texts: number): Promise<Float32Array[]> {
  const taken = await takeVectors(body, "embeddings", { rows: true });
  const embeddings = listOfAnswer(taken.rest, "embeddings");
  if (embeddings.length !== texts)
    throw new MalformedAnswer(`${embeddings.length} vectors for ${texts} texts`);
  return embeddings.map((row) => takenAt(taken, row));
}
