import { KnowdError } from "../../runtime/errors.ts";
import { markdownSlot } from "../relative-path.ts";
import type { Processed, ProcessedStore } from "./processed-contract.ts";
import type { CatalogCore } from "./core.ts";
import { freeName, holdsMarkdownSlot, releaseName, reserveName } from "./item-names.ts";
import { itemOf } from "./item-row.ts";

export function openProcessedStore(core: CatalogCore): ProcessedStore {
  return {
    get: (itemId) =>
      core
        .sql(
          `SELECT byte_hash AS byteHash, processor_id AS processorId, markdown_id AS markdownId
           FROM processed WHERE item_id = ?`,
        )
        .get(itemId) as Processed | undefined,
    put: (itemId, processed) => core.transaction(() => put(core, itemId, processed)),
    reserve: (itemId) => core.transaction(() => reserve(core, itemId)),
  };
}

function put(core: CatalogCore, itemId: string, { byteHash, processorId, markdownId }: Processed): void {
  core
    .sql(
      `INSERT INTO processed (item_id, byte_hash, processor_id, markdown_id, processed_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (item_id) DO UPDATE SET byte_hash = excluded.byte_hash, processor_id = excluded.processor_id,
         markdown_id = excluded.markdown_id, processed_at = excluded.processed_at`,
    )
    .run(itemId, byteHash, processorId, markdownId, core.now());
}

/** K5.1: own slot and Markdown slot move together when the second is taken by another item. */
function reserve(core: CatalogCore, itemId: string): ReturnType<ProcessedStore["reserve"]> {
  const item = itemOf(core, itemId);
  if (!item) throw new KnowdError("ITEM_NOT_FOUND", { itemId });
  if (!holdsMarkdownSlot(core, item)) {
    const name = freeName(core, { ...item, markdown: true }, itemId);
    releaseName(core, item);
    reserveName(core, item.baseId, itemId, name);
    core
      .sql("UPDATE item SET concept_id = ?, updated_at = ? WHERE id = ?")
      .run(name.conceptId, core.now(), itemId);
    return { conceptId: name.conceptId, markdownId: markdownSlot(name.conceptId) };
  }
  return { conceptId: item.conceptId, markdownId: markdownSlot(item.conceptId) };
}
