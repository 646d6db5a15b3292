import { randomBytes } from "node:crypto";
import { KnowdError } from "../runtime/errors.ts";
import type { IngestDeps } from "../ingest/ingest-deps.ts";
import type { Services } from "./call.ts";
import { hashSecret } from "./sessions.ts";

type TokenMethod = "token.create" | "token.list" | "token.revoke";

/** As much as nobody guesses. */
const SECRET_BYTES = 32;

export function createTokenService({
  catalog,
  now,
}: Pick<IngestDeps, "catalog" | "now">): Services<TokenMethod> {
  return {
    "token.create": ({ name, baseIds = null, write, expiresAt = null }) => {
      for (const baseId of baseIds ?? []) catalog.bases.require(baseId);
      if (expiresAt !== null && expiresAt <= now())
        throw new KnowdError("INVALID_FIELD", { field: "expiresAt", reason: "lies in the past" });
      const secret = `knowd_${randomBytes(SECRET_BYTES).toString("base64url")}`;
      const token = catalog.tokens.create({
        name,
        secretHash: hashSecret(secret),
        baseIds,
        write,
        expiresAt,
      });
      return { token, secret };
    },
    "token.list": (page) => catalog.tokens.list(page),
    "token.revoke": ({ tokenId, baseIds }) => {
      if (!catalog.tokens.get(tokenId)) throw new KnowdError("TOKEN_NOT_FOUND", { tokenId });
      if (baseIds === undefined) catalog.tokens.remove(tokenId);
      else catalog.tokens.takeOut(tokenId, baseIds);
      return {};
    },
  };
}
