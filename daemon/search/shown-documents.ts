import { createIdleMemory } from "../../workers/search/idle-memory.ts";
import type { GrepDocument } from "../../rpc/contract/grep.ts";
import { toUtf8 } from "../runtime/utf8-json.ts";
import type { SearchDeps } from "./search-deps.ts";

/** A document that may be shown (K1.2), as answers name it. */
export interface ShownDocument {
  readonly place: Omit<GrepDocument, "lines">;
  /** The same as JSON in UTF-8, a character for each byte, without the brace that closes it. */
  readonly opened: string;
}

/** Which documents may be shown: what was looked up is kept for a while, and while nothing is written to the catalogue. */
export interface ShownDocuments {
  /** In the order of the ids; null for those that may not be shown. */
  of(baseId: string, ids: readonly string[]): (ShownDocument | null)[];
}

/** At some 700 bytes. What is full takes nothing more in: who goes through more would push out each before it comes again. */
const MAX_KEPT = 10_000;

export function createShownDocuments({
  items,
  changes,
}: Pick<SearchDeps["catalog"], "items" | "changes">): ShownDocuments {
  /** By base and id. */
  const kept = new Map<string, Map<string, ShownDocument | null>>();
  let size = 0;
  let written = -1;
  const idle = createIdleMemory(forget);

  function forget(): void {
    idle.stop();
    kept.clear();
    size = 0;
  }

  function lookUp(baseId: string, ids: readonly string[]): Map<string, ShownDocument | null> {
    const visible = items.visiblePlaces(baseId, ids);
    return new Map(
      ids.map((id) => {
        const item = visible.get(id);
        return [id, item ? shown({ baseId, itemId: id, conceptId: item.conceptId, path: item.path }) : null];
      }),
    );
  }

  return {
    of(baseId, ids) {
      const now = changes.written();
      if (now !== written) forget();
      written = now;
      idle.used();
      const known = kept.get(baseId) ?? new Map<string, ShownDocument | null>();
      kept.set(baseId, known);
      const missing = ids.filter((id) => !known.has(id));
      const found = missing.length > 0 ? lookUp(baseId, missing) : null;
      for (const [id, document] of found ?? []) {
        if (size >= MAX_KEPT) break;
        known.set(id, document);
        size++;
      }
      return ids.map((id) => found?.get(id) ?? known.get(id) ?? null);
    },
  };
}

function shown(place: ShownDocument["place"]): ShownDocument {
  return { place, opened: toUtf8(JSON.stringify(place)).slice(0, -1) };
}
