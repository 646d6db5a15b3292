import type { Client } from "../../rpc/client.ts";
import type { Item } from "../../rpc/contract/items.ts";
import { eventually } from "./eventually.ts";

/** The paths of the documents in which a word stands, as a search tells. */
export async function pathsWith(client: Client, word: string): Promise<string[]> {
  const { hits } = await client.call("search.query", { query: `"${word}"`, topK: 50 });
  const paths = hits.filter((hit) => hit.text.includes(word)).map((hit) => hit.path ?? "");
  return [...new Set(paths)].sort();
}

/** Waits until exactly these documents answer for the word. */
export async function untilFoundIn(client: Client, word: string, paths: readonly string[]): Promise<void> {
  const wanted = [...paths].sort().join("\n");
  await eventually(async () => {
    const found = (await pathsWith(client, word)).join("\n");
    if (found !== wanted) throw new Error(`"${word}" is found in [${found}], not in [${wanted}]`);
    return true;
  });
}

export async function itemOf(client: Client, baseId: string, path: string) {
  let cursor: string | undefined;
  do {
    const page = await client.call("item.list", {
      baseId,
      limit: 100,
      ...(cursor !== undefined && { cursor }),
    });
    const found = page.items.find((item) => item.path === path);
    if (found) return found;
    cursor = page.cursor;
  } while (cursor !== undefined);
  throw new Error(`no item stands for ${path}`);
}

/** All files of a base, page by page. */
export async function filesOf(client: Client, baseId: string): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.call("item.list", {
      baseId,
      type: "file",
      limit: 100,
      ...(cursor !== undefined && { cursor }),
    });
    items.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return items;
}
