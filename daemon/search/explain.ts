import type { Base } from "../../rpc/contract/bases.ts";
import type { ExplainedBase, ExplainedPassage } from "../../rpc/contract/explain.ts";
import type { Hit } from "../../rpc/contract/hits.ts";
import type { Params, Result } from "../../rpc/contract/index.ts";
import type { ExplainedUnit, Explanation, LaneQuery } from "../../workers/search/contract.ts";
import type { ExplainedTerm } from "../../workers/search/explanation.ts";
import { KnowdError } from "../runtime/errors.ts";
import { firstCandidates, laneQuery, type Call, type QueryDeps } from "./ask-base.ts";
import { createHeldLists } from "./held-lists.ts";
import { lanesOf } from "./hits.ts";
import { askHost } from "./host-call.ts";
import { answer, beginQuery, unquotedIf } from "./query.ts";
import { understoodOf } from "./read-query.ts";

/** What became of passages that are not in the list by their own right, and the hit that they are of. */
type Outcome = Pick<ExplainedPassage, "outcome" | "rank"> & Partial<Pick<ExplainedPassage, "lanes">>;
type Outcomes = ReadonlyMap<string, Outcome>;

/** Searches, and tells how the answer came about. Throws what a search throws, and ITEM_NOT_FOUND. */
export async function explainSearch(
  deps: QueryDeps,
  { itemId, ...asked }: Params<"search.explain">,
  signal: AbortSignal,
): Promise<Result<"search.explain">> {
  const started = performance.now();
  if (itemId !== undefined) requireShown(deps, itemId);
  const params = { ...asked, explain: true };
  const { call, warnings: said } = await beginQuery(deps, params, signal);
  // Nobody reads on in this answer.
  const answered = await answer(createHeldLists(), call, { warnings: said, given: params, started });
  const { hits, mode, degraded, warnings, corrections } = answered.result;
  const { list } = answered;
  const asSearched = unquotedIf(list.isUnquoted, call);
  const outcomes = outcomesOf(hits);
  const bases: ExplainedBase[] = [];
  for (const base of call.bases) {
    const candidates = list.depths.get(base.id)?.candidates || firstCandidates(call);
    bases.push(await explainBase(asSearched, base, { candidates, outcomes, itemId }));
  }
  const tookMs = Math.round((performance.now() - started) * 10) / 10;
  return {
    mode,
    ...(degraded !== undefined && { degraded }),
    understood: understoodOf(call.asked),
    ...(corrections && { corrections }),
    warnings,
    bases,
    tookMs,
  };
}

function requireShown({ catalog }: QueryDeps, itemId: string): void {
  if (catalog.items.require(itemId).status === "deleting") throw new KnowdError("ITEM_NOT_FOUND", { itemId });
}

async function explainBase(
  call: Call,
  base: Base,
  { candidates, outcomes, itemId }: { candidates: number; outcomes: Outcomes; itemId: string | undefined },
): Promise<ExplainedBase> {
  const { query } = await laneQuery(call, base, candidates, false);
  const explanation = await askHost(call.host, "index.explain", query, call.budget);
  const { terms, units } = explanation;
  const describe = describer(call, base, terms, outcomes);
  return {
    baseId: base.id,
    terms: terms.map(({ text, kind, units: passages }) => ({ text, kind, passages })),
    fusion: fusionOf(query, explanation),
    candidates,
    passages: describe(units),
    ...(itemId !== undefined && { item: await describeItem(call, query, itemId, describe) }),
  };
}

function fusionOf({ fusion }: LaneQuery, { mode, weights, meaning }: Explanation): ExplainedBase["fusion"] {
  if (mode === "bm25") return { kind: "none" };
  return { ...fusion, ...(weights && { weights: { ...weights } }), ...(meaning > 0 && { meaning }) };
}

/** The item's own best passages: ranked among themselves, with the scores they would have among all. */
async function describeItem(
  call: Call,
  query: LaneQuery,
  itemId: string,
  describe: (units: readonly ExplainedUnit[]) => ExplainedPassage[],
): Promise<ExplainedPassage[]> {
  const filters = { materialIds: [itemId] };
  const { units } = await askHost(call.host, "index.explain", { ...query, filters }, call.budget);
  const passages = describe(units);
  if (query.filters?.materialIds?.includes(itemId) !== false) return passages;
  return passages.map((passage) => ({ ...passage, outcome: "filtered" }));
}

function describer({ catalog }: Call, base: Base, terms: readonly ExplainedTerm[], outcomes: Outcomes) {
  return (units: readonly ExplainedUnit[]): ExplainedPassage[] => {
    const ids = [...new Set(units.map(({ materialId }) => materialId))];
    const items = catalog.items.many(ids);
    const visible = catalog.items.visible(base.id, ids);
    return units.map((unit) => {
      const known = items.get(unit.materialId);
      // What is on its way out is hidden everywhere (K4.1), and an index says nothing of other bases.
      const item = known?.baseId === base.id && known.status !== "deleting" ? known : undefined;
      const unseen = !visible.has(unit.materialId) ? "hidden" : unit.cut ? "cut" : "unlisted";
      return {
        unitId: unit.unitId,
        itemId: unit.materialId,
        conceptId: item?.conceptId ?? null,
        path: item?.path ?? null,
        score: unit.score,
        lanes: lanesOf(unit),
        words: wordsOf(unit, terms),
        outcome: unseen,
        ...outcomes.get(`${base.id}:${unit.unitId}`),
      };
    });
  };
}

function wordsOf(
  { bm25, own, earned }: ExplainedUnit,
  terms: readonly ExplainedTerm[],
): ExplainedPassage["words"] {
  if (bm25 === null || own === null) return null;
  const parts = earned.map(([term, score]) => ({ text: terms[term]!.text, score }));
  return { score: bm25, own, terms: parts.toSorted((a, b) => b.score - a.score) };
}

function outcomesOf(hits: readonly Hit[]): Outcomes {
  const outcomes = new Map<string, Outcome>();
  for (const { baseId, unitId, rank, lanes, duplicates = [], passages = [] } of hits) {
    for (const other of passages) outcomes.set(`${baseId}:${other.unitId}`, { outcome: "passage", rank });
    for (const other of duplicates)
      outcomes.set(`${other.baseId}:${other.unitId}`, { outcome: "duplicate", rank });
    // A hit's own lanes say what a reranker made of it, too.
    outcomes.set(`${baseId}:${unitId}`, { outcome: "hit", rank, ...(lanes && { lanes }) });
  }
  return outcomes;
}
