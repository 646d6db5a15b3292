import type { ItemType } from "../../rpc/contract/items.ts";
import type { Catalog } from "../storage/catalog/contract.ts";
import type { ImportResult } from "./import-files.ts";

/** K5.4: which of these keys an item of the type has in the base already. */
export function keyConflicts(
  { items }: Pick<Catalog, "items">,
  baseId: string,
  type: ItemType,
  keys: readonly string[],
): ImportResult["conflicts"] {
  return [...new Set(keys)].flatMap((key) => {
    const existing = items.bySourceKey(baseId, type, key);
    return existing ? [{ path: key, itemId: existing.id }] : [];
  });
}
