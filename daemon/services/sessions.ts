import type { Token } from "../../rpc/contract/sessions.ts";
import { sha256 } from "../../workers/ids.ts";
import { emptyScope, outOfScope, ownerScope, type Scope } from "../runtime/scope.ts";
import type { Catalog } from "../storage/catalog/contract.ts";

export interface Opened {
  readonly token: Token;
  readonly scope: Scope;
}

export interface Sessions {
  /** Binds the connection to a token, once. Throws OUT_OF_SCOPE for another token than before, and for one that is not good. */
  open(connection: object, secret: string): Opened;
  /** Worked out from what the token grants now and the bases there are now (K10.1). */
  scopeOf(connection: object): Scope;
}

interface SessionsDeps {
  readonly catalog: {
    readonly tokens: Pick<Catalog["tokens"], "bySecretHash">;
    readonly bases: Pick<Catalog["bases"], "get">;
  };
  readonly now: () => number;
}

export function hashSecret(secret: string): string {
  return sha256(secret);
}

export function createSessions({ catalog, now }: SessionsDeps): Sessions {
  /**
   * The hash of the secret that a connection came with, good or not. As long as there is a connection: what it asked for and is
   * done only after its client is gone must not be done in the owner's name.
   */
  const bound = new WeakMap<object, string>();

  const current = (hash: string): Token | undefined => {
    const token = catalog.tokens.bySecretHash(hash);
    return token && (token.expiresAt === null || token.expiresAt > now()) ? token : undefined;
  };

  return {
    open(connection, secret) {
      const hash = hashSecret(secret);
      const before = bound.get(connection);
      if (before !== undefined && before !== hash)
        throw outOfScope({ reason: "the session was opened with another token; open another connection" });
      // Also when the token is no good: whoever meant to restrict a connection is not left with all.
      bound.set(connection, hash);
      const token = current(hash);
      if (!token) throw outOfScope({ reason: "there is no such token, or it was revoked or has expired" });
      return { token, scope: scopeOfToken(catalog.bases, token) };
    },
    scopeOf(connection) {
      const hash = bound.get(connection);
      if (hash === undefined) return ownerScope;
      const token = current(hash);
      return token ? scopeOfToken(catalog.bases, token) : emptyScope;
    },
  };
}

function scopeOfToken(bases: Pick<Catalog["bases"], "get">, { baseIds, write }: Token): Scope {
  if (baseIds === null) return { ...ownerScope, isOwner: false, write };
  const granted = new Set(baseIds);
  const there = baseIds.filter((id) => bases.get(id) !== undefined);
  const present = new Set(there);
  return {
    kind: there.length === 0 ? "none" : "restricted",
    write,
    isOwner: false,
    baseIds: there,
    has: (id) => present.has(id),
    grants: (id) => granted.has(id),
  };
}
