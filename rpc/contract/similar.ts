import { z } from "zod";
import { INDEX_DEADLINE_MS, itemId } from "./common.ts";
import { method } from "./define.ts";
import { searchParams, searchResult } from "./search.ts";

/** Characters that a pasted text may have. */
const MAX_TEXT = 100_000;

export const similarMethods = {
  "search.similar": method({
    params: searchParams
      .omit({ query: true })
      .extend({
        unitId: z.string().min(1).max(200).optional().describe("of the passage whose like is looked for"),
        itemId: itemId
          .optional()
          .describe("of the document whose like is looked for; with unitId, the one that the passage is of"),
        text: z.string().max(MAX_TEXT).optional().describe("a text whose like is looked for"),
        sameDocument: z
          .boolean()
          .default(false)
          .describe("with unitId: answer other passages of its document too"),
      })
      .refine(({ itemId: item, text }) => (item === undefined) !== (text === undefined), {
        message: "name either an item, or a passage of it, or a text",
        path: ["itemId"],
      })
      .refine(({ itemId: item, unitId }) => unitId === undefined || item !== undefined, {
        message: "a passage is named with its item",
        path: ["unitId"],
      }),
    result: searchResult,
    errors: [
      "QUERY_EMPTY",
      "BASE_NOT_FOUND",
      "BASE_FAILED",
      "ITEM_NOT_FOUND",
      "ITEM_NOT_READABLE",
      "PASSAGE_NOT_FOUND",
      "CURSOR_INVALID",
      "CURSOR_EXPIRED",
      "DEADLINE",
    ],
    scope: "bases",
    doc: "Passages like a given one, like a document, or like a pasted text; answered as a search is.",
    example: { text: "Keys are rotated every month; the old ones stay valid for a week." },
    deadlineMs: INDEX_DEADLINE_MS,
  }),
};
