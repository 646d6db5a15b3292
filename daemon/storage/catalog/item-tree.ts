import type { Item, TreeNode } from "../../../rpc/contract/items.ts";
import type { CatalogCore } from "./core.ts";
import { countChildren } from "./item-containers.ts";

type NodeRow = Pick<Item, "id" | "type" | "status" | "title" | "conceptId" | "url" | "refreshError">;
const NODE_COLUMNS = `id, type, status, title, concept_id AS conceptId, iif(type = 'url', source_key, NULL) AS url,
  refresh_error AS refreshError`;

/** Depth first, siblings by name, deleting ones left out; at most `limit` nodes, and whether there are more. */
export function treeOf(
  core: CatalogCore,
  baseId: string,
  limit: number,
): { nodes: TreeNode[]; truncated: boolean } {
  const nodes: TreeNode[] = [];
  // Nodes still to visit, the next one last. Never more of one directory than can still be shown, and one to tell.
  const ahead = reversed(rootRows(core, baseId, limit + 1), 0);
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (nodes.length === limit) return { nodes, truncated: true };
    const { row, depth } = next;
    nodes.push(toNode(core, row, depth));
    if (row.type === "directory")
      ahead.push(...reversed(childRows(core, row.id, limit - nodes.length + 1), depth + 1));
  }
  return { nodes, truncated: false };
}

function reversed(rows: readonly NodeRow[], depth: number): { row: NodeRow; depth: number }[] {
  return rows.map((row) => ({ row, depth })).reverse();
}

function rootRows(core: CatalogCore, baseId: string, limit: number): NodeRow[] {
  return core
    .sql(
      `SELECT ${NODE_COLUMNS} FROM item WHERE base_id = ? AND group_id IS NULL AND status <> 'deleting'
       ORDER BY concept_id LIMIT ?`,
    )
    .all(baseId, limit) as NodeRow[];
}

function childRows(core: CatalogCore, id: string, limit: number): NodeRow[] {
  return core
    .sql(
      `SELECT ${NODE_COLUMNS} FROM item WHERE group_id = ? AND status <> 'deleting' ORDER BY concept_id LIMIT ?`,
    )
    .all(id, limit) as NodeRow[];
}

/** K10.2: a concept id can be read only where there is a revision, so only completed leaves show theirs. */
function toNode(core: CatalogCore, row: NodeRow, depth: number): TreeNode {
  const isDirectory = row.type === "directory";
  return {
    ...row,
    depth,
    conceptId: !isDirectory && row.status === "completed" ? row.conceptId : null,
    children: isDirectory ? countChildren(core, row.id) : 0,
  };
}
