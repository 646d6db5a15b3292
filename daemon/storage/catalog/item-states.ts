import type { ItemStatus, ItemType } from "../../../rpc/contract/items.ts";
import { wrongCall } from "./core.ts";

/** What a container asks of a child's status. */
export type Phase = "active" | "completed" | "failed" | "deleting";

type Transitions = Readonly<Record<ItemStatus, readonly ItemStatus[]>>;

/**
 * K4, leaves: idle → processing → reading → embedding → completed; steps may be skipped, and work that is put back into
 * the queue makes its item idle again. A completed leaf stays completed while a job refreshes it (K8.5).
 */
const leafTransitions: Transitions = {
  idle: ["processing", "reading", "embedding", "completed"],
  preparing: [],
  processing: ["reading", "embedding", "completed", "idle"],
  reading: ["embedding", "completed", "idle"],
  embedding: ["completed", "idle"],
  completed: [],
  failed: ["idle", "processing", "reading", "embedding", "completed"],
  deleting: [],
};

/** K4, directories: idle → preparing → processing → completed, and again when more is put into them. */
const directoryTransitions: Transitions = {
  idle: ["preparing", "processing", "completed"],
  preparing: ["processing", "completed"],
  processing: ["preparing", "completed"],
  reading: [],
  embedding: [],
  completed: ["preparing", "processing"],
  failed: ["idle", "preparing", "processing", "completed"],
  deleting: [],
};

const leafStates = new Set<ItemStatus>(["idle", "processing", "reading", "embedding", "completed"]);
const directoryStates = new Set<ItemStatus>(["idle", "preparing", "processing", "completed"]);

/** Whether setStatus may make this step. Throws for a status that no item of this type can be set to. */
export function mayBecome(type: ItemType, from: ItemStatus, to: ItemStatus): boolean {
  if (to === "failed") throw wrongCall("an item fails with a reason: use fail");
  if (to === "deleting") throw wrongCall("an item is deleted with all below it: use beginDelete");
  const isDirectory = type === "directory";
  if (!(isDirectory ? directoryStates : leafStates).has(to)) throw wrongCall(`a ${type} is never ${to}`);
  return (isDirectory ? directoryTransitions : leafTransitions)[from].includes(to);
}

export function phaseOf(status: ItemStatus): Phase {
  return status === "completed" || status === "failed" || status === "deleting" ? status : "active";
}
