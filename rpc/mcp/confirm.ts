import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { RequestId } from "@modelcontextprotocol/sdk/types.js";
import { RpcError } from "../client-errors.ts";
import type { Result } from "../contract/index.ts";
import { quoted } from "./fence.ts";
import type { Link } from "./link.ts";

/** A person is asked, who may be away for a while. */
const CONFIRM_TIMEOUT_MS = 10 * 60_000;
/** Of the items that are to be deleted; the others are counted. */
const MAX_NAMED = 10;
const MAX_SHOWN_CHARS = 500;

interface Asked {
  readonly server: Server;
  readonly link: Link;
}

/** Whether the person at the client allows a delete. A client that cannot ask has been trusted with it by --allow-manage. */
export async function isDeleteAllowed(
  { server, link }: Asked,
  tool: string,
  args: Readonly<Record<string, unknown>>,
  call: { readonly signal: AbortSignal; readonly requestId: RequestId },
): Promise<boolean> {
  if (server.getClientCapabilities()?.elicitation?.form === undefined) return true;
  const what = Array.isArray(args["itemIds"])
    ? `delete ${await namesOf(link, args["itemIds"])}`
    : `call ${tool}, which deletes, with ${quoted(args).slice(0, MAX_SHOWN_CHARS)}`;
  const { action } = await server.elicitInput(
    {
      mode: "form",
      message: `An agent wants to ${what}. Watched files themselves are never touched. Do you allow it?`,
      requestedSchema: { type: "object", properties: {} },
    },
    { signal: call.signal, timeout: CONFIRM_TIMEOUT_MS, relatedRequestId: call.requestId },
  );
  return action === "accept";
}

/** Ids say nothing to a person: the items' paths in their bases. */
async function namesOf(link: Link, itemIds: readonly unknown[]): Promise<string> {
  const distinct = [...new Set(itemIds)];
  const names: string[] = [];
  for (const itemId of distinct.slice(0, MAX_NAMED)) names.push(quoted(await nameOf(link, itemId)));
  const others = distinct.length - names.length;
  return names.join(", ") + (others > 0 ? ` and ${others} more` : "");
}

async function nameOf(link: Link, itemId: unknown): Promise<string> {
  try {
    const { item } = (await link.call("item.get", { itemId }, "read")) as Result<"item.get">;
    return item.type === "directory" ? `${item.conceptId} with all in it` : item.conceptId;
  } catch (error) {
    // What is not there, or is no id, will be said by the delete itself.
    if (error instanceof RpcError) return String(itemId).slice(0, MAX_SHOWN_CHARS);
    throw error;
  }
}
