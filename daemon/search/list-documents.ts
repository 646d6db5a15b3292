import type { Base } from "../../rpc/contract/bases.ts";
import type { Call } from "./ask-base.ts";
import type { ResultList } from "./held-lists.ts";
import { askHost } from "./host-call.ts";
import type { Entry } from "./result-list.ts";

/** Documents of each base that such a list has at most: the host looks their first passages up in 20 ms. */
const MAX_LISTED = 1000;

export interface Listing {
  /** The last first, or the first; the time is the score, in milliseconds. */
  readonly entries: readonly Entry[];
  /** The base has more. */
  readonly isCut: boolean;
}

/** For a query without words: the first passage of each document of a base that passes its filters, by the documents' time. */
export async function listBase(
  { catalog, documents, host, registry, budget, asked, params }: Call,
  base: Base,
): Promise<Listing> {
  const order = params.sort === "oldest" ? "oldest" : "newest";
  const passing = await documents.matching(base.id, asked.filter, budget.signal);
  const found = await catalog.items.byTime(base.id, passing, {
    order,
    limit: MAX_LISTED + 1,
    signal: budget.signal,
  });
  const listed = found.slice(0, MAX_LISTED);
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
  const entries = units.map(({ unitId, materialId }) => entryOf(base.id, unitId, times.get(materialId)!));
  return { entries, isCut: found.length > listed.length };
}

/** Fills a new list with those of all bases. It is whole: it is not searched deeper. Answers what people should know of it. */
export function fillListing(
  list: ResultList,
  sort: Call["params"]["sort"],
  listings: readonly Listing[],
): string[] {
  const sign = sort === "oldest" ? 1 : -1;
  // Sorting is stable: of one time they stay in the order of bases and ids.
  const entries = listings
    .flatMap((listing) => listing.entries)
    .toSorted((a, b) => sign * (a.score - b.score));
  list.entries.push(...entries);
  for (const depth of list.depths.values()) depth.complete = true;
  if (!listings.some(({ isCut }) => isCut)) return [];
  const which = sort === "oldest" ? "oldest" : "newest";
  return [`of each base only the ${MAX_LISTED} ${which} documents that pass are listed`];
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
    meaning: null,
    cosine: null,
  };
}
