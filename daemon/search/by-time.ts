import type { ResultList } from "./held-lists.ts";
import { fetchHits, type PageSource } from "./take-page.ts";

/**
 * Share of the best score from which a passage matches well. A single word scores a third of its best in a long passage;
 * one of three words of a query scores less.
 */
const MATCHES_WELL = 0.3;

/**
 * Puts a new list in the order of its documents' time, without what matches much less than the best. Such a list is
 * whole: it is not searched deeper afterwards.
 */
export async function orderByTime(
  list: ResultList,
  { order, ...source }: Omit<PageSource, "extend"> & { order: "newest" | "oldest" },
): Promise<void> {
  const hits = await fetchHits(list, list.entries, source);
  // Of what is shown: what is hidden must not tell of itself by what it outdoes.
  const shown = list.entries.filter((_, at) => hits[at] !== null);
  const best = shown.reduce((most, { score }) => Math.max(most, score), 0);
  const timed = list.entries.flatMap((entry, at) => {
    const hit = hits[at];
    return hit && entry.score >= MATCHES_WELL * best ? [{ entry, changedAt: hit.changedAt }] : [];
  });
  const sign = order === "newest" ? -1 : 1;
  // Sorting is stable: what is of one time stays in the order of relevance.
  timed.sort((a, b) => sign * (a.changedAt - b.changedAt));
  list.entries.splice(0, Infinity, ...timed.map(({ entry }) => entry));
  for (const depth of list.depths.values()) depth.complete = true;
}
