import type { ScoreKind } from "../../rpc/contract/hits.ts";
import type { RankedUnit, ShownUnit } from "../../workers/search/contract.ts";
import { fuseByRank } from "../../workers/search/ranking/fuse.ts";

/** A passage's place in an answer. Its text is fetched when it is shown. */
export interface Entry extends RankedUnit {
  readonly baseId: string;
  readonly scoreKind: ScoreKind;
  /** What the base's reranker did: its score, and rank and score that the entry had among its base's before. */
  readonly reranked?: {
    readonly score: number;
    readonly before: { readonly rank: number; readonly score: number };
  };
}

/** One base's part of an answer: its entries, best first, and the texts that came with them, by key. */
export interface BaseList {
  readonly entries: readonly Entry[];
  readonly texts: ReadonlyMap<string, ShownUnit>;
}

export function keyOf({ baseId, unitId }: Pick<Entry, "baseId" | "unitId">): string {
  return `${baseId}:${unitId}`;
}

/**
 * One ranked list a base → one list. A single base keeps its scores; several are fused by rank, for their scores have
 * nothing in common (K9.7). Equal ranks go by base and unit id. `isFused`: the list began with several, so that what only
 * one of them adds has scores of that kind too.
 */
export function mergeBases(lists: readonly (readonly Entry[])[], isFused = false): Entry[] {
  const filled = lists.filter((list) => list.length > 0);
  if (filled.length < 2 && !isFused) return [...(filled[0] ?? [])];
  const entries = new Map(filled.flat().map((entry) => [keyOf(entry), entry]));
  return fuseByRank(filled.map((list) => list.map(keyOf))).map(({ id, score }) => ({
    ...entries.get(id)!,
    score,
    scoreKind: "ranking" as const,
  }));
}

/** The list, trimmed to what a threshold lets through: it cuts relevance alone (K9.3); null cuts nothing. */
export function aboveThreshold(entries: readonly Entry[], threshold: number | null): Entry[] {
  return entries.filter(
    ({ scoreKind, score }) => scoreKind !== "relevance" || threshold === null || score >= threshold,
  );
}
