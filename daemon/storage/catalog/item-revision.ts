import type { ItemFailure } from "../../../rpc/contract/items.ts";
import { invalidField } from "../../runtime/errors.ts";
import type { CompletedRevision } from "./contract.ts";
import { wrongCall, type CatalogCore } from "./core.ts";
import { followChildren } from "./item-containers.ts";
import { setTags, tagsOf } from "./item-tags.ts";
import { announceItem, stateOf, type ItemState } from "./item-row.ts";

export interface FailPatch {
  readonly failure?: ItemFailure | null;
  readonly format?: string | null;
  readonly sizeBytes?: number | null;
}

/** False when the item is deleting (K4.1) or gone. The caller lets its container follow, and runs it in a transaction. */
function completeOne(core: CatalogCore, id: string, revision: CompletedRevision): ItemState | null {
  const item = stateOf(core, id);
  if (!item || item.status === "deleting") return null;
  if (item.type === "directory") throw wrongCall(`the directory ${id} has no revision`);
  if (!(revision.chunkCount > 0))
    throw invalidField("chunkCount", "one or more: without text an item fails (K4.5)");
  const now = core.now();
  core.sql(COMPLETE).run({
    id,
    now,
    format: revision.format,
    title: revision.title,
    contentHash: revision.contentHash,
    chunkCount: revision.chunkCount,
    sizeBytes: revision.sizeBytes,
    fingerprint: revision.fingerprint,
    warnings: JSON.stringify(revision.warnings),
    metadata: JSON.stringify(revision.metadata),
    changedAt: fileTime(core, id) ?? now,
  });
  setTags(core.database, id, tagsOf(revision.metadata));
  announceItem(core, { ...item, status: "completed" }, "updated");
  return item;
}

const COMPLETE = `UPDATE item SET status = 'completed', error = NULL, refresh_error = NULL, format = :format,
  title = :title, content_hash = :contentHash, chunk_count = :chunkCount, size_bytes = :sizeBytes,
  fingerprint = :fingerprint, warnings = :warnings, metadata = :metadata, changed_at = :changedAt, updated_at = :now
WHERE id = :id`;

/** When a watched file was last written, in milliseconds: what a search's time range asks for. */
function fileTime(core: CatalogCore, itemId: string): number | null {
  const mtimeNs = core.sql("SELECT mtime_ns FROM ledger WHERE item_id = ?").pluck().get(itemId) as
    | string
    | undefined;
  return mtimeNs === undefined ? null : Math.max(0, Number(BigInt(mtimeNs) / 1_000_000n));
}

/** Answers whether each was completed, in order. Must run in a transaction. */
export function completeItems(
  core: CatalogCore,
  entries: readonly { readonly id: string; readonly revision: CompletedRevision }[],
): boolean[] {
  const before = entries.map(({ id, revision }) => completeOne(core, id, revision));
  followChildren(
    core,
    before.flatMap((item) => (item === null || item.status === "completed" ? [] : [item.groupId])),
  );
  return before.map((item) => item !== null);
}

/**
 * K4: no revision answers any more, and the reason says what a person can do. False when the item is deleting (K4.1) or
 * gone. Must run in a transaction.
 */
export function failItem(core: CatalogCore, id: string, reason: string, patch: FailPatch): boolean {
  if (reason.trim() === "") throw invalidField("error", "a reason, not blank");
  const item = stateOf(core, id);
  if (!item || item.status === "deleting") return false;
  if (item.type === "directory") throw wrongCall(`the directory ${id} fails with its children alone`);
  core
    .sql(
      `UPDATE item SET status = 'failed', error = :reason, failure = :failure, refresh_error = NULL, content_hash = NULL, chunk_count = 0,
         fingerprint = NULL, warnings = '[]', metadata = '{}', format = iif(:hasFormat, :format, format),
         size_bytes = iif(:hasSize, :sizeBytes, size_bytes), updated_at = :now
       WHERE id = :id`,
    )
    .run({
      id,
      reason,
      failure: patch.failure ?? null,
      now: core.now(),
      hasFormat: patch.format === undefined ? 0 : 1,
      format: patch.format ?? null,
      hasSize: patch.sizeBytes === undefined ? 0 : 1,
      sizeBytes: patch.sizeBytes ?? null,
    });
  setTags(core.database, id, []);
  announceItem(core, { ...item, status: "failed" }, "updated");
  if (item.error !== reason || item.failure !== (patch.failure ?? null)) followChildren(core, [item.groupId]);
  return true;
}

/** K8.5: the revision before goes on answering; null says that all is well again. Must run in a transaction. */
export function setRefreshError(core: CatalogCore, id: string, reason: string | null): void {
  if (reason !== null && reason.trim() === "")
    throw invalidField("refreshError", "a reason, not blank, or null");
  const item = stateOf(core, id);
  if (!item || item.status === "deleting") return;
  const { changes } = core
    .sql("UPDATE item SET refresh_error = ?, updated_at = ? WHERE id = ? AND refresh_error IS NOT ?")
    .run(reason, core.now(), id, reason);
  if (changes > 0) announceItem(core, item, "updated");
}

/** K11.2: a missing item is hidden and kept; null shows it again. Must run in a transaction. */
export function setMissing(core: CatalogCore, ids: readonly string[], since: number | null): void {
  for (const id of new Set(ids)) {
    const item = stateOf(core, id);
    if (!item || item.status === "deleting") continue;
    const { changes } = core
      .sql("UPDATE item SET missing_since = ?, updated_at = ? WHERE id = ? AND missing_since IS NOT ?")
      .run(since, core.now(), id, since);
    if (changes > 0) announceItem(core, item, "updated");
  }
}
