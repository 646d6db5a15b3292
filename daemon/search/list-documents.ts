import type { Call } from "./ask-base.ts";
import type { ResultList } from "./held-lists.ts";
import { askHost } from "./host-call.ts";
import type { Entry } from "./result-list.ts";

/** Documents of each base that such a list has at most. */
const MAX_LISTED = 200;

/**
 * Fills a new list for a query without words: the first passage of each document that passes its filters, the documents in
 * the order of their time, which is the score too, in milliseconds. The list is whole: it is not searched deeper.
 */
export async function listDocuments(list: ResultList, call: Call): Promise<void> {
  const order = call.params.sort === "oldest" ? "oldest" : "newest";
  const found: { entry: Entry; changedAt: number }[] = [];
  for (const base of call.bases) {
    const { catalog, documents, host, registry, budget, asked } = call;
    const materialIds = await documents.matching(base.id, asked.filter, budget.signal);
    const listed = catalog.items.byTime(base.id, materialIds, { order, limit: MAX_LISTED });
    const { units } = await askHost(
      host,
      "index.first",
      {
        baseId: base.id,
        indexPath: registry.indexPath(base.id),
        materialIds: listed.map(({ id }) => id),
        excluded: asked.excluded,
      },
      budget,
    );
    const times = new Map(listed.map(({ id, changedAt }) => [id, changedAt]));
    for (const { unitId, materialId } of units) {
      const changedAt = times.get(materialId)!;
      found.push({ entry: entryOf(base.id, unitId, changedAt), changedAt });
    }
    list.depths.get(base.id)!.complete = true;
  }
  const sign = order === "oldest" ? 1 : -1;
  // Sorting is stable: of one time they stay in the order of bases and ids.
  found.sort((a, b) => sign * (a.changedAt - b.changedAt));
  list.entries.push(...found.map(({ entry }) => entry));
}

function entryOf(baseId: string, unitId: string, changedAt: number): Entry {
  return {
    unitId,
    baseId,
    score: changedAt,
    scoreKind: "ranking",
    bm25Rank: null,
    vectorRank: null,
    latentRank: null,
    latentCosine: null,
    cosine: null,
  };
}
