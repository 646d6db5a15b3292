import type { ItemStatus } from "../../../rpc/contract/items.ts";
import { announceItem, stateOf, type ItemState } from "./item-row.ts";
import type { CatalogCore } from "./core.ts";

/** A container's error names so many of its failed children, each with so much of its reason. */
const REASONS_NAMED = 3;
const REASON_MAX_CHARACTERS = 160;
/** As the partial index `item_unfinished` has it: only a query that says the same may use it. */
export const UNFINISHED = "status NOT IN ('completed', 'deleting')";
export const ACTIVE = `status IN ('idle', 'preparing', 'processing', 'reading', 'embedding') AND ${UNFINISHED}`;
/** As the partial index `item_failed_child` has it. A file that is skipped for its type fails no folder. */
const FAILED = "status = 'failed' AND failure IS NOT 'unsupported'";

/**
 * K4.3: brings these containers, and those above them, in line with their children, bottom up: an active child makes a
 * container `processing`, else a failed one (skipped ones aside)
 * makes it `failed`, else it is `completed`. Writes only what changes.
 */
export function followChildren(core: CatalogCore, containerIds: Iterable<string | null>): void {
  let level = new Set(containerIds);
  while (level.size > 0) {
    const above = new Set<string | null>();
    for (const id of level) {
      const container = id === null ? undefined : stateOf(core, id);
      if (container && settle(core, container)) above.add(container.groupId);
    }
    level = above;
  }
}

/** True when the container changed, so that what it stands in must follow. K4.1: a deleting one is left alone. */
function settle(core: CatalogCore, container: ItemState): boolean {
  if (container.type !== "directory" || container.status === "deleting") return false;
  const { status, error } = stateByChildren(core, container.id);
  if (status === container.status && error === container.error) return false;
  core
    .sql("UPDATE item SET status = ?, error = ?, updated_at = ? WHERE id = ?")
    .run(status, error, core.now(), container.id);
  if (status !== "processing") announceItem(core, { ...container, status }, "updated");
  return true;
}

function stateByChildren(core: CatalogCore, id: string): { status: ItemStatus; error: string | null } {
  if (hasChild(core, id, ACTIVE)) return { status: "processing", error: null };
  if (hasChild(core, id, FAILED)) return { status: "failed", error: failureOf(core, id) };
  return { status: "completed", error: null };
}

function hasChild(core: CatalogCore, id: string, state: string): boolean {
  return core.sql(`SELECT EXISTS (SELECT 1 FROM item WHERE group_id = ? AND ${state})`).pluck().get(id) === 1;
}

/** "3 of 120 failed: a.pdf: needs a password; b.pdf: …; …": the oldest failed children speak for the rest. */
function failureOf(core: CatalogCore, id: string): string {
  const failed = core
    .sql(`SELECT count(*) FROM item WHERE group_id = ? AND ${FAILED}`)
    .pluck()
    .get(id) as number;
  const named = core
    .sql(
      `SELECT title, error FROM item WHERE group_id = ? AND ${FAILED}
       ORDER BY rowid LIMIT ?`,
    )
    .all(id, REASONS_NAMED) as { title: string; error: string }[];
  const reasons = named.map(({ title, error }) => `${title}: ${cut(error)}`);
  if (failed > named.length) reasons.push("…");
  return `${failed} of ${countChildren(core, id)} failed: ${reasons.join("; ")}`;
}

/** Direct children without deleting ones, counted in two indexes. */
export function countChildren(core: CatalogCore, id: string): number {
  return core
    .sql(
      `SELECT (SELECT count(*) FROM item WHERE group_id = :id)
        - (SELECT count(*) FROM item WHERE group_id = :id AND status = 'deleting')`,
    )
    .pluck()
    .get({ id }) as number;
}

function cut(reason: string): string {
  if (reason.length <= REASON_MAX_CHARACTERS) return reason;
  // Half a surrogate pair would be no text.
  return `${reason.slice(0, REASON_MAX_CHARACTERS - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
