import type { Catalog } from "../storage/catalog/contract.ts";

/**
 * Folder items of watched sources come and go with their files: of these folders, the ones that hold nothing any more are
 * removed, then their parents, bottom up. Roots of sources and folders that the base owns stay.
 */
export function removeEmptyFolders(
  { items, sources }: Pick<Catalog, "items" | "sources">,
  folders: readonly (string | null)[],
): void {
  const roots = new Set(sources.all().map((source) => source.itemId));
  let candidates = present(folders);
  while (candidates.length > 0) {
    const childless = items.childless(candidates.filter((id) => !roots.has(id)));
    const empty = [...items.many(childless).values()].filter((item) => item.path !== null);
    const ids = empty.map((item) => item.id);
    items.beginDelete(ids);
    items.remove(ids);
    candidates = present(empty.map((item) => item.groupId));
  }
}

function present(ids: readonly (string | null)[]): string[] {
  return [...new Set(ids)].filter((id) => id !== null);
}
