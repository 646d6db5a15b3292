import type { Client } from "../client.ts";
import { RpcError } from "../client-errors.ts";
import type { Result } from "../contract/index.ts";
import type { Link } from "./link.ts";

/** What a token grants. Without one there is nothing that this machine's user may not do. */
export interface Session {
  /** Gives a new connection the token's scope, before anything is asked over it. */
  open(client: Client, timeoutMs: number): Promise<void>;
  /** What there is to offer now (K10.1): a token may have been revoked, and its bases deleted. */
  grants(link: Link): Promise<Grants>;
}

export interface Grants {
  readonly read: boolean;
  readonly write: boolean;
}

export function sessionOf(token: string | undefined): Session {
  let opened: Result<"session.open"> | undefined;
  return {
    async open(client, timeoutMs) {
      if (token !== undefined) opened = await client.call("session.open", { token }, { timeoutMs });
    },
    async grants(link) {
      if (token === undefined) return { read: true, write: true };
      try {
        const { items } = (await link.call("base.list", { limit: 1 }, "read")) as Result<"base.list">;
        const read = opened?.scope === "unrestricted" || items.length > 0;
        return { read, write: read && opened?.write === true };
      } catch (error) {
        if (error instanceof RpcError && error.errorName === "OUT_OF_SCOPE")
          return { read: false, write: false };
        throw error;
      }
    },
  };
}
