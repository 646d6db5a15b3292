import type { Item, ItemType } from "../../../rpc/contract/items.ts";
import { markdownSlot, twinKey, withSuffix } from "../relative-path.ts";
import type { CatalogCore } from "./core.ts";

/** The names that an item wants inside its base. */
export interface WantedName {
  readonly baseId: string;
  readonly type: ItemType;
  /** In normal form. */
  readonly conceptId: string;
  /** A processor will write the file's Markdown beside it: that slot is held too, and moves with it (K5.1). */
  readonly markdown: boolean;
}

interface Name {
  readonly conceptId: string;
  /** Key of the own slot, then of the Markdown slot where there is one. */
  readonly keys: readonly string[];
}

function nameOf(conceptId: string, markdown: boolean): Name {
  const slots = markdown ? [conceptId, markdownSlot(conceptId)] : [conceptId];
  return { conceptId, keys: [...new Set(slots.map(twinKey))] };
}

/**
 * K5.1, K2.3: the wanted concept id when its slots are free, else the first `_N` that is free in all of them.
 * What `ownerId` holds itself counts as free.
 */
export function freeName(core: CatalogCore, wanted: WantedName, ownerId: string | null = null): Name {
  const kind = wanted.type === "directory" ? "directory" : "file";
  const nameAt = (n: number): Name => {
    const conceptId = n === 0 ? wanted.conceptId : withSuffix(wanted.conceptId, n, kind);
    return nameOf(conceptId, wanted.markdown);
  };
  const isFree = (n: number): boolean =>
    nameAt(n).keys.every((key) => holderIs(core, wanted.baseId, key, ownerId));
  return nameAt(firstFree(isFree));
}

/** Writes down the slots of an item that has its row. */
export function reserveName(core: CatalogCore, baseId: string, itemId: string, name: Name): void {
  const insert = core.sql("INSERT INTO name (base_id, key, item_id, slot) VALUES (?, ?, ?, ?)");
  name.keys.forEach((key, at) => insert.run(baseId, key, itemId, at === 0 ? "own" : "markdown"));
}

/** Gives back both slots of an item whose row goes, or moves. */
export function releaseName(core: CatalogCore, item: Pick<Item, "id" | "baseId" | "conceptId">): void {
  const release = core.sql("DELETE FROM name WHERE base_id = ? AND key = ? AND item_id = ?");
  for (const key of nameOf(item.conceptId, true).keys) release.run(item.baseId, key, item.id);
}

export function holdsMarkdownSlot(
  core: CatalogCore,
  item: Pick<Item, "id" | "baseId" | "conceptId">,
): boolean {
  const slot = core
    .sql("SELECT slot FROM name WHERE base_id = ? AND key = ? AND item_id = ?")
    .pluck()
    .get(item.baseId, twinKey(markdownSlot(item.conceptId)), item.id);
  return slot === "markdown";
}

function holderIs(core: CatalogCore, baseId: string, key: string, ownerId: string | null): boolean {
  const holder = core.sql("SELECT item_id FROM name WHERE base_id = ? AND key = ?").pluck().get(baseId, key);
  return holder === undefined || holder === ownerId;
}

/**
 * Doubles until it is free, then halves the gap, so that ten thousand files of one name don't cost ten thousand looks
 * each. It is the lowest one as long as none before was given back.
 */
function firstFree(isFree: (n: number) => boolean): number {
  if (isFree(0)) return 0;
  let taken = 0;
  let free = 1;
  while (!isFree(free)) {
    taken = free;
    free *= 2;
  }
  while (free - taken > 1) {
    const middle = Math.floor((taken + free) / 2);
    if (isFree(middle)) free = middle;
    else taken = middle;
  }
  return free;
}
