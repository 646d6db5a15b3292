import { z } from "zod";
import { baseId, empty, listOf, page, timestamp } from "./common.ts";
import { method } from "./define.ts";

const tokenId = z.uuid().describe("the id of a token (UUID v7)");
const name = z.string().trim().min(1).max(200);

export const token = z.object({
  id: tokenId,
  name,
  baseIds: z
    .array(baseId)
    .nullable()
    .describe("what it grants, deleted bases too; null for all bases, also those that are made later"),
  write: z.boolean(),
  createdAt: timestamp,
  expiresAt: timestamp.nullable(),
});
export type Token = z.infer<typeof token>;

const exampleBase = "3f0f7f4e-7d3b-4b43-9d7e-6e8f6f6e2a10";
const exampleToken = "01932c07-4a3f-7b6e-9a52-0c5f0e9d7a13";

export const sessionMethods = {
  "session.open": method({
    params: z.strictObject({ token: z.string().min(1).max(200).describe("the secret of token.create") }),
    result: z.object({
      scope: z.enum(["none", "unrestricted", "restricted"]).describe("none: all bases of the token are gone"),
      baseIds: z.array(baseId).nullable().describe("those there are now; null for all"),
      write: z.boolean(),
      name: z.string().describe("the token's"),
    }),
    errors: ["OUT_OF_SCOPE"],
    scope: "open",
    doc: "Give this connection the scope of a token, once and for all: from then on nothing else is told or changed, and each call looks anew whether the token still stands. After a token that is refused, nothing is.",
    example: { token: "knowd_t-aVQ0u3nTqzYw1m8cXb5Jr7Lk2HsFiD9oEgPvW4yNE" },
  }),
  "token.create": method({
    params: z
      .strictObject({
        name,
        baseIds: z.array(baseId).min(1).max(1000).optional(),
        all: z.boolean().default(false).describe("all bases, also those that are made later"),
        write: z.boolean().default(false).describe("may also change what is in them"),
        expiresAt: timestamp.optional().describe("leave out for a token that is good until it is revoked"),
      })
      .refine(({ baseIds, all }) => all === (baseIds === undefined), {
        message: "name either bases, or all of them with all",
        path: ["baseIds"],
      }),
    result: z.object({ token, secret: z.string().describe("answered this once: only its hash is kept") }),
    errors: ["BASE_NOT_FOUND", "INVALID_FIELD"],
    access: "admin",
    doc: "Make a token that opens sessions of a scope.",
    example: { name: "editor", baseIds: [exampleBase] },
  }),
  "token.list": method({
    params: z.strictObject(page),
    result: listOf(token),
    errors: ["CURSOR_INVALID"],
    access: "admin",
    doc: "List the tokens, newest first, without their secrets.",
    example: {},
  }),
  "token.revoke": method({
    params: z.strictObject({
      tokenId,
      baseIds: z.array(baseId).min(1).max(1000).optional().describe("take only these bases out of it"),
    }),
    result: empty,
    errors: ["TOKEN_NOT_FOUND"],
    access: "admin",
    doc: "Take a token back, or bases out of it; sessions that it opened end with their next call.",
    example: { tokenId: exampleToken },
  }),
};
