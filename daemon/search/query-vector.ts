import type { Base } from "../../rpc/contract/bases.ts";
import type { LaneQuery } from "../../workers/search/contract.ts";
import { modelChange } from "../embedding/model-identity.ts";
import type { EmbeddingModel } from "../embedding/provider.ts";
import { createBudget, type Budget } from "./host-call.ts";
import type { SearchDeps } from "./search-deps.ts";

/** What the search host is told about the query's vector, and what went wrong on the way, if anything. */
export interface QueryVector extends Pick<LaneQuery, "queryVector" | "model" | "fusion"> {
  readonly failure: string | null;
}

export interface QueryEmbedder {
  /** Never rejects but for an abort: without a vector the base is searched by words alone, and `failure` says why. */
  forBase(base: Base): Promise<QueryVector>;
}

/** What is known of a model's answer; the fingerprint is null when it could not be found out. */
interface ModelAnswer extends QueryVector {
  readonly fingerprint: string | null;
}

/** Share of a search's time that a model may take to embed the query: the rest is for an answer by words alone. */
const EMBED_SHARE = 0.6;
const WORDS_ALONE = { queryVector: null, model: null, fusion: { kind: "rrf" } } as const;

/** One query, embedded once for each model that is asked for. A base without a model makes no call (K9.1). */
export function createQueryEmbedder(
  { models, catalog, queryVectors }: Pick<SearchDeps, "models" | "catalog" | "queryVectors">,
  query: string,
  budget: Budget,
  purpose: "query" | "document" = "query",
): QueryEmbedder {
  const asked = new Map<string, Promise<ModelAnswer>>();

  async function ask(model: EmbeddingModel, dimensions: number | null): Promise<ModelAnswer> {
    const { id, fusion } = model;
    const patienceMs = Math.ceil(budget.leftMs() * EMBED_SHARE);
    const { signal } = createBudget(patienceMs, budget.signal);
    let fingerprint: string | null = null;
    try {
      fingerprint = await model.fingerprint(signal);
      const queryVector = await queryVectors.vectorOf(
        { model, fingerprint, dimensions, text: query, purpose },
        signal,
      );
      return { queryVector, model: null, fusion, failure: null, fingerprint };
    } catch (error) {
      budget.signal.throwIfAborted();
      const failed = error instanceof Error ? error.message : String(error);
      const reason = signal.aborted ? `no answer within ${patienceMs} ms` : failed;
      return { ...wordsAlone(`${id} could not embed the query (${reason})`), fingerprint };
    }
  }

  return {
    async forBase({ id: baseId, name: baseName, embeddingModelId: modelId, dimensions }) {
      if (modelId === null) return { ...WORDS_ALONE, failure: null };
      const model = models.get(modelId);
      if (!model) return wordsAlone(`the model ${modelId} is not configured`);
      const stored = catalog.baseModels.fingerprint(baseId);
      const known = modelChange({ baseName, modelId, stored, current: model.lastFingerprint() });
      // Nothing is paid for a vector that can't be used.
      if (known !== null) return wordsAlone(known);
      const { files, fusion } = model;
      // The embedded model answers in the search host itself, and is always known.
      if (files) return { queryVector: null, model: files, fusion, failure: null };
      const asking = asked.get(modelId) ?? ask(model, dimensions);
      asked.set(modelId, asking);
      const { fingerprint, ...answer } = await asking;
      const change = modelChange({ baseName, modelId, stored, current: fingerprint });
      if (change !== null) return wordsAlone(change);
      const given = answer.queryVector?.length ?? dimensions;
      if (given === dimensions) return answer;
      return wordsAlone(
        `${modelId} gives vectors of ${given} numbers, the base "${baseName}" has ${dimensions}: ` +
          `it is another model now; embed the base anew: knowd reindex --base "${baseName}"`,
      );
    },
  };
}

function wordsAlone(why: string): QueryVector {
  return { ...WORDS_ALONE, failure: `searched by words alone: ${why}` };
}
