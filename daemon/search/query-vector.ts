import type { Base } from "../../rpc/contract/bases.ts";
import type { LaneQuery } from "../../workers/search/contract.ts";
import type { EmbeddingModel } from "../embedding/provider.ts";
import { createBudget, type Budget } from "./host-call.ts";

/** What the search host is told about the query's vector, and what went wrong on the way, if anything. */
export interface QueryVector extends Pick<LaneQuery, "queryVector" | "model" | "fusion"> {
  readonly failure: string | null;
}

export interface QueryEmbedder {
  /** Never rejects but for an abort: without a vector the base is searched by words alone, and `failure` says why. */
  forBase(base: Base): Promise<QueryVector>;
}

/** Share of a search's time that a model may take to embed the query: the rest is for an answer by words alone. */
const EMBED_SHARE = 0.6;
const WORDS_ALONE = { queryVector: null, model: null, fusion: { kind: "rrf" } } as const;

/** One query, embedded once for each model that is asked for. A base without a model makes no call (K9.1). */
export function createQueryEmbedder(
  models: { get(id: string): EmbeddingModel | undefined },
  query: string,
  budget: Budget,
  purpose: "query" | "document" = "query",
): QueryEmbedder {
  const asked = new Map<string, Promise<QueryVector>>();

  async function ask(id: string): Promise<QueryVector> {
    const model = models.get(id);
    if (!model)
      return { ...WORDS_ALONE, failure: `searched by words alone: the model ${id} is not configured` };
    const { files, fusion } = model;
    // The embedded model answers in the search host itself.
    if (files) return { queryVector: null, model: files, fusion, failure: null };
    const patienceMs = Math.ceil(budget.leftMs() * EMBED_SHARE);
    const { signal } = createBudget(patienceMs, budget.signal);
    try {
      const [vector] = await model.embed([query], purpose, signal);
      if (!vector) throw new Error("it answered no vector");
      return { queryVector: vector, model: null, fusion, failure: null };
    } catch (error) {
      budget.signal.throwIfAborted();
      const failed = error instanceof Error ? error.message : String(error);
      const reason = signal.aborted ? `no answer within ${patienceMs} ms` : failed;
      return {
        ...WORDS_ALONE,
        failure: `searched by words alone: ${id} could not embed the query (${reason})`,
      };
    }
  }

  return {
    async forBase({ embeddingModelId: id, dimensions }) {
      if (id === null) return { ...WORDS_ALONE, failure: null };
      const known = asked.get(id) ?? ask(id);
      asked.set(id, known);
      const answer = await known;
      const given = answer.queryVector?.length ?? dimensions;
      if (given === dimensions) return answer;
      const failure = `searched by words alone: ${id} gives vectors of ${given} numbers, the base has ${dimensions}`;
      return { ...WORDS_ALONE, failure };
    },
  };
}
