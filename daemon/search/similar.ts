import type { Params, Result } from "../../rpc/contract/index.ts";
import { hasWords } from "../../workers/words/query.ts";
import type { Likeness, SearchTasks } from "../../workers/search/contract.ts";
import { KnowdError } from "../runtime/errors.ts";
import type { Call, QueryDeps } from "./ask-base.ts";
import { chooseBases } from "./choose-bases.ts";
import type { HeldLists } from "./held-lists.ts";
import { askHost, createBudget, type Budget } from "./host-call.ts";
import { answer, topKOf } from "./query.ts";
import { createQueryEmbedder, type QueryEmbedder } from "./query-vector.ts";
import { readSubject } from "./read-query.ts";
import { notReadable, readable } from "./read.ts";
import type { SearchDeps } from "./search-deps.ts";

type SimilarParams = Params<"search.similar">;

/** What is looked for, and where its own vector counts. */
interface Subject {
  readonly like: Likeness;
  /** Stored in its base, so that no model need be asked there. */
  readonly stored: { readonly baseId: string; readonly vector: Float32Array } | null;
}

/** Models take a few hundred words; what a text is about stands in its first pages. */
const EMBEDDED_CHARACTERS = 8000;

/**
 * Passages like a passage, a document or a text. Throws what a search throws, ITEM_NOT_FOUND, ITEM_NOT_READABLE and
 * PASSAGE_NOT_FOUND.
 */
export async function searchSimilar(
  deps: QueryDeps,
  lists: HeldLists,
  params: SimilarParams,
  signal: AbortSignal,
): Promise<Result<"search.similar">> {
  const started = performance.now();
  const { bases, warnings } = chooseBases(deps, params.baseIds);
  const budget = createBudget(params.deadlineMs ?? deps.settings.deadlineMs, signal);
  const { like, stored } = await subjectOf(deps, params, budget);
  const asked = await readSubject(like.text.slice(0, EMBEDDED_CHARACTERS), params);
  const ofText = createQueryEmbedder(deps, asked.text, budget, "document");
  const embedder = withStored(deps, ofText, stored);
  const call: Call = { ...deps, bases, params, asked, like, budget, embedder, topK: topKOf(params, bases) };
  const said = [...warnings, ...asked.notes];
  return (await answer(lists, call, { warnings: said, given: params, started })).result;
}

async function subjectOf(
  deps: SearchDeps,
  { itemId, unitId, text, sameDocument }: SimilarParams,
  budget: Budget,
): Promise<Subject> {
  if (itemId === undefined) {
    if (text === undefined || !hasWords(text)) throw new KnowdError("QUERY_EMPTY");
    return { like: { text, exceptMaterial: null, exceptUnit: null }, stored: null };
  }
  const { catalog, registry, host } = deps;
  const item = readable(catalog, catalog.items.require(itemId));
  const { baseId } = item;
  const target = { baseId, indexPath: registry.indexPath(baseId), materialId: itemId };
  const input: SearchTasks["index.likeness"]["input"] = { ...target, unitId: unitId ?? null };
  const known = await askHost(host, "index.likeness", input, budget);
  if (!known || known.materialId !== itemId) {
    throw unitId === undefined ? notReadable(item) : new KnowdError("PASSAGE_NOT_FOUND", { itemId, unitId });
  }
  const whole = unitId === undefined || !sameDocument;
  return {
    like: { text: known.text, exceptMaterial: whole ? itemId : null, exceptUnit: unitId ?? null },
    stored: known.vector && { baseId, vector: known.vector },
  };
}

/** In its own base the stored vector is taken; elsewhere the text is embedded. */
function withStored(
  { models }: Pick<SearchDeps, "models">,
  embedder: QueryEmbedder,
  stored: Subject["stored"],
): QueryEmbedder {
  return {
    async forBase(base) {
      const { embeddingModelId, dimensions, id } = base;
      if (embeddingModelId === null || stored?.baseId !== id || stored.vector.length !== dimensions)
        return embedder.forBase(base);
      const fusion = models.get(embeddingModelId)?.fusion ?? { kind: "rrf" as const };
      return { queryVector: stored.vector, model: null, fusion, failure: null };
    },
  };
}
