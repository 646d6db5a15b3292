import type { Filters } from "../../rpc/contract/search.ts";
import { compileGlob } from "./glob.ts";
import type { SearchDeps } from "./search-deps.ts";

/** The materials of a base that pass, or null when nothing narrows. What a filter says is known to the catalogue alone. */
export function materialsOf(
  { items }: Pick<SearchDeps["catalog"], "items">,
  baseId: string,
  filters: Filters | undefined,
): string[] | null {
  if (!filters) return null;
  const matching = items.matching(baseId, {
    formats: filters.types,
    after: filters.after,
    before: filters.before,
    itemIds: filters.itemIds,
  });
  return filters.path === undefined ? matching : ofPath({ items }, baseId, filters.path, matching);
}

/** Of these items (null: all of the base) those whose concept id or absolute path the glob fits. */
export function ofPath(
  { items }: Pick<SearchDeps["catalog"], "items">,
  baseId: string,
  glob: string,
  among: readonly string[] | null,
): string[] {
  const fits = compileGlob(glob);
  const found = items.many(among ?? items.leavesOfBase(baseId));
  return [...found.values()]
    .filter((item) => fits(item.conceptId) || (item.path !== null && fits(item.path)))
    .map((item) => item.id);
}
