import type { Client } from "../client.ts";
import { eachOf, type PageParams } from "./pages.ts";

/** The captured URLs of these bases, all of them or those that are named, and the names that none was captured by. */
export async function itemsOfUrl(
  client: Client,
  bases: readonly { readonly id: string }[],
  urls: readonly string[],
): Promise<{ itemIds: string[]; notFound: string[] }> {
  const wanted = new Set(urls.map((url) => url.trim()));
  const itemIds: string[] = [];
  const seen = new Set<string>();
  for (const { id: baseId } of bases) {
    const ask = (page: PageParams) => client.call("item.list", { baseId, type: "url", ...page });
    for await (const item of eachOf(ask)) {
      if (wanted.size > 0 && !(item.url !== null && wanted.has(item.url)) && !wanted.has(item.id)) continue;
      itemIds.push(item.id);
      seen.add(item.id).add(item.url ?? "");
    }
  }
  return { itemIds, notFound: [...wanted].filter((url) => !seen.has(url)) };
}
