import type { Hit } from "../../rpc/contract/search.ts";
import { fuseByRank } from "../../workers/search/fuse.ts";

/** A hit that has no place in the answer yet. */
export type UnrankedHit = Omit<Hit, "rank">;

export interface FinishOptions {
  readonly topK: number;
  readonly groupBy: "document" | undefined;
  /** Drops hits of scoreKind relevance below it; null drops none. */
  readonly threshold: number | null;
}

/**
 * One ranked list a base → one list. A single base keeps its scores; several are fused by rank, for their scores have
 * nothing in common (K9.7). Equal ranks go by base and unit id.
 */
export function mergeBases(lists: readonly (readonly UnrankedHit[])[]): UnrankedHit[] {
  const filled = lists.filter((list) => list.length > 0);
  if (filled.length < 2) return [...(filled[0] ?? [])];
  const keyOf = (hit: UnrankedHit) => `${hit.baseId}:${hit.unitId}`;
  const hits = new Map(filled.flat().map((hit) => [keyOf(hit), hit]));
  return fuseByRank(filled.map((list) => list.map(keyOf))).map(({ id, score }) => ({
    ...hits.get(id)!,
    score,
    scoreKind: "ranking" as const,
  }));
}

/** Group → trim → threshold → ranks 1…n, in this order (K9.4). */
export function finishHits(hits: readonly UnrankedHit[], options: FinishOptions): Hit[] {
  const grouped = options.groupBy === "document" ? bestOfDocuments(hits) : hits;
  return grouped
    .slice(0, options.topK)
    .filter(
      ({ scoreKind, score }) =>
        scoreKind !== "relevance" || options.threshold === null || score >= options.threshold,
    )
    .map((hit, at) => ({ ...hit, rank: at + 1 }));
}

function bestOfDocuments(hits: readonly UnrankedHit[]): UnrankedHit[] {
  const seen = new Set<string>();
  return hits.filter(({ itemId }) => !seen.has(itemId) && seen.add(itemId));
}
