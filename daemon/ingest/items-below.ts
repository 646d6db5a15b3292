import type { Catalog } from "../storage/catalog/contract.ts";

interface Below {
  readonly id: string;
  readonly isDirectory: boolean;
}

interface OpenFolder {
  readonly id: string;
  /** The concept id up to which its children were read. */
  after: string;
  /** Those read and not visited yet, the next one last. */
  children: ReturnType<Catalog["items"]["childrenAfter"]>;
}

/** Items of one step: looking for them takes the loop a few milliseconds, however many there are. */
const ITEMS_PER_STEP = 128;

/**
 * The items and all below them, no directory before what stands in it, step by step: a folder of 20,000 files must not hold the
 * loop, so whoever asks lets it turn between two steps. Deleting ones are left out. What comes or moves meanwhile may be missed.
 */
export function* itemsBelow(
  items: Pick<Catalog["items"], "get" | "childrenAfter">,
  ids: readonly string[],
): Generator<readonly Below[]> {
  let step: Below[] = [];
  for (const id of ids) {
    const item = items.get(id);
    if (!item || item.status === "deleting") continue;
    // The folders between here and the root of the walk.
    const open: OpenFolder[] = [];
    if (item.type === "directory") open.push({ id, after: "", children: [] });
    else step.push({ id, isDirectory: false });
    for (let folder = open.at(-1); folder !== undefined; folder = open.at(-1)) {
      if (folder.children.length === 0) {
        folder.children = items.childrenAfter(folder.id, folder.after, ITEMS_PER_STEP).reverse();
      }
      const child = folder.children.pop();
      if (child === undefined) {
        open.pop();
        step.push({ id: folder.id, isDirectory: true });
      } else {
        folder.after = child.conceptId;
        if (child.isDirectory) open.push({ id: child.id, after: "", children: [] });
        else step.push(child);
      }
      if (step.length >= ITEMS_PER_STEP) {
        yield step;
        step = [];
      }
    }
  }
  if (step.length > 0) yield step;
}
