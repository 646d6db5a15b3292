import type { ItemStatus } from "../../../rpc/contract/items.ts";
import { wrongCall, type CatalogCore } from "./core.ts";
import { ACTIVE, followChildren, UNFINISHED } from "./item-containers.ts";
import { announceItem, stateOf, type ItemState } from "./item-row.ts";
import { mayBecome, phaseOf } from "./item-states.ts";

/**
 * The one setter of states that are no end of a revision. Answers what changed. Steps in flight stay out of the change
 * log: a first ingest would fill it with them. Must run in a transaction.
 */
export function setStatus(core: CatalogCore, ids: readonly string[], status: ItemStatus): string[] {
  const moved = [...new Set(ids)]
    .flatMap((id) => stateOf(core, id) ?? [])
    .filter((item) => mayBecome(item.type, item.status, status));
  for (const item of moved) step(core, item, status);
  followChildren(core, [
    ...moved.filter((item) => phaseOf(item.status) !== phaseOf(status)).map((item) => item.groupId),
    // Whether a directory is completed is for its children to say.
    ...moved.filter((item) => item.type === "directory" && status === "completed").map((item) => item.id),
  ]);
  return moved.map((item) => item.id);
}

function step(core: CatalogCore, item: ItemState, status: ItemStatus): void {
  if (status === "completed" && item.type !== "directory" && item.chunkCount === 0)
    throw wrongCall(`the item ${item.id} has no revision: use complete`);
  core
    .sql("UPDATE item SET status = ?, error = NULL, updated_at = ? WHERE id = ?")
    .run(status, core.now(), item.id);
  if (status === "completed") announceItem(core, { ...item, status }, "updated");
}

/**
 * K4.6, after a crash: leaves in flight go back to idle, and are returned; each directory is brought in line with its
 * children, also one that was being prepared. Must run in a transaction.
 */
export function recoverInFlight(core: CatalogCore): string[] {
  const leaves = core
    .sql(
      `UPDATE item SET status = 'idle', updated_at = ?
       WHERE ${UNFINISHED} AND status IN ('processing', 'reading', 'embedding') AND type <> 'directory'
       RETURNING id`,
    )
    .pluck()
    .all(core.now()) as string[];
  const directories = core
    .sql(`SELECT id FROM item WHERE ${ACTIVE} AND type = 'directory' ORDER BY rowid DESC`)
    .pluck()
    .all() as string[];
  followChildren(core, directories);
  return leaves;
}

/** Leaves that wait for work which nobody has queued: an import was cut off between the two. */
export function idleWithoutJob(core: CatalogCore): string[] {
  return core
    .sql(
      `SELECT id FROM item WHERE ${UNFINISHED} AND status = 'idle' AND type <> 'directory'
         AND NOT EXISTS (SELECT 1 FROM job WHERE job.item_id = item.id)`,
    )
    .pluck()
    .all() as string[];
}
