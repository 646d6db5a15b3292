import type { Resource } from "@modelcontextprotocol/sdk/types.js";
import type { Result } from "../contract/index.ts";
import type { Item } from "../contract/items.ts";
import type { BaseLimit } from "./base-limit.ts";
import { eachBase } from "./base-pages.ts";
import type { Link } from "./link.ts";
import { conceptUri } from "./resource-uri.ts";

export interface ResourcePage {
  readonly resources: Resource[];
  readonly nextCursor?: string;
}

/** Where a list goes on: in which base, and behind which page of its items. */
interface Position {
  readonly baseId: string;
  readonly cursor?: string;
}

const PAGE_ITEMS = 100;

/** One page of the completed documents of all bases, base after base. Null when the cursor is none of these. */
export async function listResources(
  deps: { readonly link: Link; readonly limit: BaseLimit | null },
  cursor: string | undefined,
): Promise<ResourcePage | null> {
  const start = cursor === undefined ? undefined : positionOf(cursor);
  if (start === null) return null;
  const baseIds = await listedBases(deps);
  const first = start === undefined ? 0 : baseIds.indexOf(start.baseId);
  if (first < 0) return null;
  const resources: Resource[] = [];
  for (const baseId of baseIds.slice(first)) {
    // What is on the way to the next page ends this one: a page is never more than two of the daemon's.
    if (resources.length >= PAGE_ITEMS) return { resources, nextCursor: cursorOf({ baseId }) };
    const page = (await deps.link.call(
      "item.list",
      {
        baseId,
        status: "completed",
        limit: PAGE_ITEMS,
        ...(baseId === start?.baseId && start.cursor !== undefined && { cursor: start.cursor }),
      },
      "read",
    )) as Result<"item.list">;
    resources.push(...page.items.filter(({ type }) => type !== "directory").map(resourceOf));
    if (page.cursor !== undefined)
      return { resources, nextCursor: cursorOf({ baseId, cursor: page.cursor }) };
  }
  return { resources };
}

async function listedBases({
  link,
  limit,
}: {
  readonly link: Link;
  readonly limit: BaseLimit | null;
}): Promise<string[]> {
  if (limit !== null) return [...(await limit.ids())];
  const ids: string[] = [];
  for await (const { id } of eachBase(link)) ids.push(id);
  return ids;
}

function resourceOf(item: Item): Resource {
  const { baseId, conceptId, title, changedAt } = item;
  return {
    uri: conceptUri(baseId, conceptId),
    name: conceptId,
    title,
    mimeType: "text/plain",
    annotations: { lastModified: new Date(changedAt).toISOString() },
  };
}

const cursorOf = (position: Position): string =>
  Buffer.from(JSON.stringify(position), "utf8").toString("base64url");

function positionOf(cursor: string): Position | null {
  try {
    const { baseId, cursor: inner } = JSON.parse(
      Buffer.from(cursor, "base64url").toString("utf8"),
    ) as Partial<Record<string, unknown>>;
    if (typeof baseId !== "string") return null;
    if (inner === undefined) return { baseId };
    return typeof inner === "string" ? { baseId, cursor: inner } : null;
  } catch {
    // No JSON, so not made here.
    return null;
  }
}
