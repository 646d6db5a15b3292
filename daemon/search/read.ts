import type { Item } from "../../rpc/contract/items.ts";
import type { Params, Result } from "../../rpc/contract/index.ts";
import { KnowdError } from "../runtime/errors.ts";
import { findItem, type ScopedCall } from "./find-item.ts";
import { askHost, createBudget, type Budget } from "./host-call.ts";
import type { SearchDeps } from "./search-deps.ts";

type ReadParams = Params<"kb.read">;
type ReadResult = Result<"kb.read">;

/** Characters that one window has at most. */
const MAX_WINDOW = 20_000;

/** A window of a document's text, or the matches of a pattern in it. Throws ITEM_NOT_FOUND, ITEM_NOT_READABLE, PATTERN_INVALID. */
export async function readDocument(
  deps: SearchDeps,
  params: ReadParams,
  { signal, scope }: ScopedCall,
): Promise<ReadResult> {
  const item = readable(deps.catalog, findItem(deps.catalog, params, scope));
  const budget = createBudget(params.deadlineMs ?? deps.settings.deadlineMs, signal);
  const result = await (params.pattern === undefined
    ? readWindow(deps, item, params, budget)
    : readMatches(deps, item, params.pattern, params, budget));
  const { id: itemId, baseId, conceptId, path, title } = item;
  return { baseId, itemId, conceptId, path, title, ...result, untrusted: true };
}

/** K1.2: only what the catalogue shows may be read. */
export function readable({ items }: Pick<SearchDeps["catalog"], "items">, item: Item): Item {
  if (item.status === "deleting") throw new KnowdError("ITEM_NOT_FOUND", { itemId: item.id });
  if (items.visible(item.baseId, [item.id]).size === 0) throw notReadable(item);
  return item;
}

export function notReadable(item: Item): KnowdError {
  const missing =
    item.missingSince === null ? "it has no indexed text yet" : "its file was not there at the last look";
  const reason = item.type === "directory" ? "a directory has no text of its own" : (item.error ?? missing);
  return new KnowdError("ITEM_NOT_READABLE", { itemId: item.id, status: item.status, reason });
}

async function readWindow({ registry, host }: SearchDeps, item: Item, params: ReadParams, budget: Budget) {
  const { charStart } = params;
  const charEnd = Math.max(charStart, Math.min(params.charEnd ?? Infinity, charStart + MAX_WINDOW));
  const target = { baseId: item.baseId, indexPath: registry.indexPath(item.baseId), materialId: item.id };
  const window = await askHost(host, "index.window", { ...target, charStart, charEnd }, budget);
  if (!window) throw notReadable(item);
  const { text, totalChars, contentHash } = window;
  const wantedEnd = Math.min(params.charEnd ?? totalChars, totalChars);
  const end = charStart + text.length;
  return { contentHash, totalChars, text, charStart, charEnd: end, truncated: end < wantedEnd };
}

async function readMatches(
  { registry, host }: SearchDeps,
  item: Item,
  pattern: string,
  { literal, caseSensitive, limit }: ReadParams,
  budget: Budget,
) {
  const target = { baseId: item.baseId, indexPath: registry.indexPath(item.baseId), materialId: item.id };
  const options = {
    patterns: [pattern],
    literal,
    caseSensitive,
    word: false,
    wholeLine: false,
    invert: false,
  };
  const found = await askHost(host, "index.find", { ...target, options, limit }, budget);
  if (!found) throw notReadable(item);
  const matches = found.matches.map(({ line, charStart, charEnd, before, match, after }) => ({
    line,
    charStart,
    charEnd,
    before,
    match,
    after,
  }));
  const { contentHash, totalChars, truncated } = found;
  return { contentHash, totalChars, matches, truncated };
}
