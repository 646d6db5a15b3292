import type { Hit, Passage } from "../../rpc/contract/hits.ts";
import type { ShownUnit } from "../../workers/search/contract.ts";
import { displayPath } from "../../workers/path-bytes.ts";
import type { VisibleItem } from "../storage/catalog/item-filter.ts";
import type { Entry } from "./result-list.ts";

/** A hit that has no place in the answer yet. */
export type UnrankedHit = Omit<Hit, "rank">;

/** An entry with its text and the item that it is of. `textOf` answers undefined for a passage that is gone. */
export function hitOf(
  entry: Entry,
  unit: ShownUnit,
  item: VisibleItem,
  { explain, textOf }: { explain: boolean; textOf: (unitId: string) => ShownUnit | undefined },
): UnrankedHit {
  const shown = passageOf(unit, item);
  const passages = entry.passages?.flatMap((unitId) => {
    const other = textOf(unitId);
    return other ? [passageOf(other, item)] : [];
  });
  // Copied with `...` and made longer, an object takes fifty times as long to make.
  return Object.assign(shown, {
    score: entry.score,
    scoreKind: entry.scoreKind,
    baseId: entry.baseId,
    itemId: item.id,
    conceptId: item.conceptId,
    path: item.path,
    contentHash: unit.contentHash,
    changedAt: item.changedAt,
    source: item.path === null ? (item.url ?? shown.title) : displayPath(item.path),
    untrusted: true as const,
    ...(passages && passages.length > 0 && { passages }),
    ...(explain && { lanes: lanesOf(entry) }),
  });
}

function passageOf(unit: ShownUnit, item: VisibleItem): Passage {
  return {
    text: unit.text,
    unitId: unit.unitId,
    title: unit.title === "" ? item.title : unit.title,
    headings: unit.headings,
    locator: unit.locator,
    charStart: unit.charStart,
    charEnd: unit.charEnd,
    highlights: unit.highlights,
  };
}

export function lanesOf({
  bm25Rank,
  vectorRank,
  latentRank,
  latentCosine,
  cosine,
  meaning,
  reranked,
}: Omit<Entry, "baseId" | "scoreKind">): NonNullable<Hit["lanes"]> {
  return {
    ...(bm25Rank !== null && { bm25: bm25Rank }),
    ...(vectorRank !== null && { vector: vectorRank }),
    ...(cosine !== null && { cosine }),
    ...(latentRank !== null && { latent: latentRank }),
    ...(latentCosine !== null && { latentCosine }),
    ...(meaning !== null && { meaning }),
    ...(reranked && { reranked }),
  };
}
