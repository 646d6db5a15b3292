import type { Result } from "../contract/index.ts";
import type { Link } from "./link.ts";

const PAGE_BASES = 100;

type ListedBase = Result<"base.list">["items"][number];

/** All bases that the daemon tells of, newest first. */
export async function* eachBase(link: Link): AsyncGenerator<ListedBase> {
  let cursor: string | undefined;
  do {
    const params = { limit: PAGE_BASES, ...(cursor !== undefined && { cursor }) };
    const page = (await link.call("base.list", params, "read")) as Result<"base.list">;
    yield* page.items;
    cursor = page.cursor;
  } while (cursor !== undefined);
}
