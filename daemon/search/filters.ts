import type { Filters } from "../../rpc/contract/search.ts";
import { createSlicer } from "../runtime/yielding.ts";
import { compileGlob } from "./glob.ts";
import type { SearchDeps } from "./search-deps.ts";

type CatalogItems = Pick<SearchDeps["catalog"], "items">;

const SLICE_MS = 10;
/** Items read at once between two looks at the clock. */
const PAGE_ITEMS = 50;

/** The materials of a base that pass, or null when nothing narrows. What a filter says is known to the catalogue alone. */
export async function materialsOf(
  { items }: CatalogItems,
  baseId: string,
  filters: Filters | undefined,
  signal: AbortSignal,
): Promise<string[] | null> {
  if (!filters) return null;
  const matching = items.matching(baseId, {
    formats: filters.types,
    after: filters.after,
    before: filters.before,
    itemIds: filters.itemIds,
  });
  if (filters.path === undefined) return matching;
  return ofPath({ items }, filters.path, matching ?? visibleOf({ items }, baseId), signal);
}

/** All of a base that the catalogue shows. */
export function visibleOf({ items }: CatalogItems, baseId: string): string[] {
  return items.matching(baseId, { after: 0 }) ?? [];
}

/** Of these items those whose concept id or absolute path the glob fits. Other work gets its turn in between. */
export async function ofPath(
  { items }: CatalogItems,
  glob: string,
  among: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const fits = compileGlob(glob);
  const slicer = createSlicer(SLICE_MS);
  const found: string[] = [];
  for (let at = 0; at < among.length; at += PAGE_ITEMS) {
    for (const item of items.many(among.slice(at, at + PAGE_ITEMS)).values()) {
      if (fits(item.conceptId) || (item.path !== null && fits(item.path))) found.push(item.id);
      await slicer.pause();
    }
    signal.throwIfAborted();
  }
  return found;
}
