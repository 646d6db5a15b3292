import type { Params } from "../../rpc/contract/index.ts";
import type { Item } from "../../rpc/contract/items.ts";
import { KnowdError } from "../runtime/errors.ts";
import { notFoundIn, type Scope } from "../runtime/scope.ts";
import type { SearchDeps } from "./search-deps.ts";

/** Who asks: whether they still wait, and what they may be told of. */
export interface ScopedCall {
  readonly signal: AbortSignal;
  readonly scope: Scope;
}

type Target = Pick<Params<"kb.read">, "itemId" | "baseId" | "conceptId" | "path">;
type Items = Pick<SearchDeps["catalog"], "items">;

/**
 * By item id, by base and concept id, or by absolute path. Of several items at a path one that can be read comes first.
 * Throws INVALID_FIELD for a target that names nothing, ITEM_NOT_FOUND, and OUT_OF_SCOPE for what is not in a restricted scope.
 */
export function findItem(catalog: Items, target: Target, scope: Scope): Item {
  const item = lookUp(catalog, target, scope);
  if (item) return item;
  const { itemId, baseId, conceptId, path } = target;
  const named = itemId !== undefined ? { itemId } : path !== undefined ? { path } : { baseId, conceptId };
  const error = new KnowdError("ITEM_NOT_FOUND", named);
  // What is missing from a base that may be seen is known to be missing.
  throw baseId === undefined ? notFoundIn(scope, error) : error;
}

function lookUp({ items }: Items, target: Target, scope: Scope): Item | undefined {
  const { itemId, baseId, conceptId, path } = target;
  const isWanted = (item: Item): boolean =>
    scope.has(item.baseId) && (baseId === undefined || item.baseId === baseId);
  if (itemId !== undefined) return [...items.many([itemId]).values()].find(isWanted);
  if (path !== undefined) {
    const found = items.byPath(path).filter(isWanted);
    return found.find((item) => items.visible(item.baseId, [item.id]).size > 0) ?? found[0];
  }
  if (baseId !== undefined && conceptId !== undefined) return items.byConceptId(baseId, conceptId);
  throw new KnowdError("INVALID_FIELD", {
    field: "itemId",
    reason: "name the document by itemId, by baseId and conceptId, or by path",
  });
}
