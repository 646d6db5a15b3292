import path from "node:path";
import type { Item } from "../../rpc/contract/items.ts";
import type { Source } from "../../rpc/contract/sources.ts";
import { displayPath } from "../../workers/path-bytes.ts";
import type { Catalog } from "../storage/catalog/contract.ts";

/** The directory items of a watched folder, made as files appear in them. */
export interface SourceTree {
  /** The item of the folder that holds this path (below the root, escaped form), made with its parents when new. */
  parentOf(source: Source, filePath: string): Item;
  /** Forgets what was cached: directories were deleted. */
  reset(): void;
}

export function createSourceTree(catalog: Catalog): SourceTree {
  const cache = new Map<string, string>();

  const directoryFor = (source: Source, directory: string): Item => {
    if (directory === ".") return catalog.items.require(source.itemId);
    const absolute = path.posix.join(source.path, directory);
    const cached = cache.get(`${source.id}:${directory}`);
    const known = cached === undefined ? undefined : catalog.items.get(cached);
    if (known && known.status !== "deleting") return known;
    const found = catalog.items
      .byPath(absolute)
      .find((item) => item.sourceId === source.id && item.type === "directory" && item.status !== "deleting");
    const item = found ?? makeDirectory(source, directory, absolute);
    cache.set(`${source.id}:${directory}`, item.id);
    return item;
  };

  const makeDirectory = (source: Source, directory: string, absolute: string): Item => {
    const parent = directoryFor(source, path.posix.dirname(directory));
    const name = path.posix.basename(directory);
    return catalog.items.create({
      baseId: source.baseId,
      groupId: parent.id,
      sourceId: source.id,
      type: "directory",
      title: displayPath(name),
      conceptId: conceptIdBelow(parent, name),
      path: absolute,
      sourceKey: absolute,
    });
  };

  return {
    parentOf: (source, filePath) => directoryFor(source, path.posix.dirname(filePath)),
    reset: () => cache.clear(),
  };
}

/** A child's concept id: its parent's and its own name, with what no concept id may hold made harmless. */
export function conceptIdBelow(parent: Item, name: string): string {
  return `${parent.conceptId}/${displayPath(name).replaceAll("\0", "_")}`;
}
