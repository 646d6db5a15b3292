import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { RequestId } from "@modelcontextprotocol/sdk/types.js";
import { quoted } from "./fence.ts";

/** A person is asked, who may be away for a while. */
const CONFIRM_TIMEOUT_MS = 10 * 60_000;
const MAX_SHOWN_CHARS = 500;

/** Whether the person at the client allows a delete. A client that cannot ask has been trusted with it by --allow-manage. */
export async function isDeleteAllowed(
  server: Server,
  tool: string,
  args: Readonly<Record<string, unknown>>,
  call: { readonly signal: AbortSignal; readonly requestId: RequestId },
): Promise<boolean> {
  if (server.getClientCapabilities()?.elicitation?.form === undefined) return true;
  const asked = quoted(JSON.stringify(args)).slice(0, MAX_SHOWN_CHARS);
  const { action } = await server.elicitInput(
    {
      mode: "form",
      message: `An agent wants to delete from your knowledge bases: ${tool} ${asked}. Watched files themselves are never touched. Delete?`,
      requestedSchema: { type: "object", properties: {} },
    },
    { signal: call.signal, timeout: CONFIRM_TIMEOUT_MS, relatedRequestId: call.requestId },
  );
  return action === "accept";
}
