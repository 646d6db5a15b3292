import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Change } from "../contract/system.ts";

/** Turns the daemon's changes into notices of MCP, few of them however many files are indexed. */
export interface ResourceChanges {
  hear(change: Change): void;
  /** Changes may have been missed. */
  missed(): void;
  /** False when there are too many already. */
  subscribe(uri: string, itemId: string): boolean;
  unsubscribe(uri: string): void;
  close(): void;
}

/** A folder of thousands of files changes the list once a second, not with each of them. */
const GATHER_MS = 1_000;
/** Each change is held against all of them. */
export const MAX_SUBSCRIPTIONS = 1_000;

export function followChanges(server: Server, log: (line: string) => void): ResourceChanges {
  const items = new Map<string, string>();
  const changed = new Set<string>();
  let isListChanged = false;
  let timer: NodeJS.Timeout | undefined;

  const say = (sent: Promise<void>): void =>
    void sent.catch((error: unknown) => log(`A notice could not be sent: ${String(error)}`));
  const flush = (): void => {
    timer = undefined;
    // Nothing may be sent before the client has said who it is, and nothing was listed to it then.
    if (server.transport !== undefined && server.getClientVersion() !== undefined) {
      if (isListChanged) say(server.sendResourceListChanged());
      for (const uri of changed) say(server.sendResourceUpdated({ uri }));
    }
    isListChanged = false;
    changed.clear();
  };
  const gather = (): void => {
    timer ??= setTimeout(flush, GATHER_MS);
    timer.unref();
  };
  const markAll = (): void => {
    isListChanged = true;
    for (const uri of items.keys()) changed.add(uri);
    gather();
  };

  return {
    hear({ entity, action, id, status }) {
      // Steps on the way to a finished item change nothing that can be read.
      const isSettled = action === "deleted" || status === "completed" || status === "failed";
      if (entity !== "base" && !isSettled) return;
      isListChanged = true;
      for (const [uri, itemId] of items) if (itemId === id) changed.add(uri);
      gather();
    },
    missed: markAll,
    subscribe(uri, itemId) {
      if (items.size >= MAX_SUBSCRIPTIONS && !items.has(uri)) return false;
      items.set(uri, itemId);
      return true;
    },
    unsubscribe: (uri) => void items.delete(uri),
    close: () => clearTimeout(timer),
  };
}
