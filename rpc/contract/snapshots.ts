import { z } from "zod";
import { baseId, itemId } from "./common.ts";
import { method } from "./define.ts";
import { item } from "./items.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const refreshEveryMs = z
  .number()
  .int()
  .min(5 * MINUTE)
  .max(366 * DAY)
  .nullable()
  .describe("fetch it again by itself, about this often; null: only when asked to");

const allowPrivate = z
  .boolean()
  .optional()
  .describe(
    "addresses of this machine and of private networks are allowed; left out, snapshot.allowPrivate says",
  );

const exampleBase = "3f0f7f4e-7d3b-4b43-9d7e-6e8f6f6e2a10";
const exampleItem = "01932c07-4a3f-7b6e-9a52-0c5f0e9d7a11";

const refreshOutcome = z.enum(["unchanged", "changed", "gone", "failed"]);

export const snapshotMethods = {
  "snapshot.capture": method({
    params: z.strictObject({
      baseId,
      url: z.string().min(1).max(4096).describe("http or https; of a page, a PDF, a plain text or Markdown"),
      title: z.string().max(300).optional().describe("instead of the page's own"),
      allowPrivate,
      refreshEveryMs: refreshEveryMs.default(null),
      onConflict: z
        .enum(["rename", "detect", "replace"])
        .default("rename")
        .describe("what to do when the URL is in the base already: keep both, refuse, or replace it"),
    }),
    result: z.object({ item, warnings: z.array(z.string()) }),
    errors: ["BASE_NOT_FOUND", "URL_REFUSED", "URL_FAILED", "ITEM_CONFLICT"],
    access: "write",
    scope: "named",
    doc: "Fetch a URL on this machine and keep what is there: a page's article as Markdown, a PDF or a text as a file.",
    example: { baseId: exampleBase, url: "https://example.org/guide" },
    deadlineMs: 400_000,
  }),
  "snapshot.refresh": method({
    params: z.strictObject({
      itemIds: z.array(itemId).min(1).max(1000),
      refreshEveryMs: refreshEveryMs.optional(),
    }),
    result: z.object({
      items: z.array(
        z.object({
          itemId,
          url: z.string(),
          outcome: refreshOutcome.describe("gone and failed leave the text as it was"),
          reason: z.string().nullable().describe("of gone and failed"),
        }),
      ),
      notFound: z.array(itemId).describe("no captured URL is known by these ids"),
    }),
    errors: [],
    access: "write",
    scope: "own",
    doc: "Fetch captured URLs again, onto the same paths; servers are asked for what has changed only.",
    example: { itemIds: [exampleItem] },
    deadlineMs: 3_600_000,
  }),
};
