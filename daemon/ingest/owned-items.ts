import type { Item } from "../../rpc/contract/items.ts";
import { escapePath, toSystemPath } from "../../workers/path-bytes.ts";
import type { Catalog } from "../storage/catalog/contract.ts";
import type { KnownFile } from "./watch-contract.ts";

const PAGE = 100;

/** The items of a base whose files are its own, in slices: from the roots down, since most items are those of watched folders. */
export async function* ownedFiles(catalog: Catalog, baseId: string): AsyncGenerator<Item[], void> {
  const folders: (string | null)[] = [null];
  for (let groupId = folders.pop(); groupId !== undefined; groupId = folders.pop()) {
    let cursor: string | undefined;
    do {
      const page = catalog.items.list({
        baseId,
        groupId,
        limit: PAGE,
        ...(cursor !== undefined && { cursor }),
      });
      const own = page.items.filter((item) => item.sourceId === null);
      folders.push(...own.filter((item) => item.type === "directory").map((item) => item.id));
      const files = own.filter(isOwned);
      if (files.length > 0) yield files;
      cursor = page.cursor;
      await new Promise((resolve) => setImmediate(resolve));
    } while (cursor !== undefined);
  }
}

function isOwned(item: Item): boolean {
  return item.type !== "directory" && item.path === null && item.sourceId === null;
}

/** Their times are not kept, so that each counts as changed at first: what was read since is told from what was not. */
export async function* knownFiles(catalog: Catalog, baseId: string): AsyncGenerator<KnownFile[], void> {
  for await (const items of ownedFiles(catalog, baseId)) {
    yield items.map(({ conceptId, sizeBytes }) => ({
      path: escapePath(Buffer.from(conceptId)),
      stamp: { size: sizeBytes ?? 0, mtimeNs: "0", ctimeNs: "0", ino: "0", dev: "0" },
    }));
  }
}

/** The item whose own file stands at this place of the base's folder, if any. */
export function itemAt(catalog: Catalog, baseId: string, file: string): Item | undefined {
  const conceptId = toSystemPath(file);
  // Names that are no UTF-8 are never those of our own files.
  const item = typeof conceptId === "string" ? catalog.items.byConceptId(baseId, conceptId) : undefined;
  return item && isOwned(item) ? item : undefined;
}
