import { asRecord, errorOfAnswer } from "../endpoint/failures.ts";

/** The body of a 2xx answer holds no scores. The message goes after "answered with". */
export class MalformedScores extends Error {
  override readonly name = "MalformedScores";
}

/** How one kind of endpoint is asked, and where its scores stand. */
export interface RerankProtocol {
  readonly path: string;
  body(model: string | undefined, query: string, texts: readonly string[]): unknown;
  /** One entry a text. Undefined when there is no list of them. */
  results(answer: unknown): unknown;
  readonly scoreKey: string;
}

/** `{model, query, documents, top_n}` → `{results: [{index, relevance_score}]}`: Cohere, Jina, Voyage, llama.cpp, vLLM. */
const cohere: RerankProtocol = {
  path: "/rerank",
  body: (model, query, documents) => ({
    ...(model !== undefined && { model }),
    query,
    documents,
    top_n: documents.length,
    return_documents: false,
  }),
  results: (answer) => asRecord(answer)["results"],
  scoreKey: "relevance_score",
};

/** `{query, texts}` → `[{index, score}]`: Hugging Face's text-embeddings-inference. */
const tei: RerankProtocol = {
  path: "/rerank",
  body: (_model, query, texts) => ({ query, texts, truncate: true, return_text: false }),
  results: (answer) => answer,
  scoreKey: "score",
};

export const rerankProtocols = { cohere, tei } as const;

/** A score for each text, in their order, as the endpoint gave them. Throws MalformedScores for anything else. */
export function scoresOfAnswer(protocol: RerankProtocol, body: string, texts: number): number[] {
  const results = protocol.results(parse(body));
  if (!Array.isArray(results)) {
    const { message } = errorOfAnswer(body);
    throw new MalformedScores(
      message === "" ? "no list of scores" : `an error in place of scores: ${message}`,
    );
  }
  if (results.length !== texts) throw new MalformedScores(`${results.length} scores for ${texts} texts`);
  const scores = new Map<number, number>();
  for (const result of results) {
    const { index, [protocol.scoreKey]: score } = asRecord(result);
    if (typeof index !== "number" || !Number.isInteger(index) || index < 0 || index >= texts)
      throw new MalformedScores("a score for a text that was not sent");
    if (scores.has(index)) throw new MalformedScores(`two scores for text ${index}`);
    if (typeof score !== "number" || !Number.isFinite(score))
      throw new MalformedScores("a score that is no number");
    scores.set(index, score);
  }
  return Array.from({ length: texts }, (_, at) => scores.get(at)!);
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    // The parser's words would quote the body, which says no more.
    throw new MalformedScores("no valid JSON");
  }
}
