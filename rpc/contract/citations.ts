import { z } from "zod";
import { INDEX_DEADLINE_MS, baseId, itemId, itemTarget } from "./common.ts";
import { method } from "./define.ts";
import { deadlineMs } from "./search.ts";

/** Characters of a quotation, as many as a window of kb.read has. */
const MAX_QUOTED = 20_000;

const { itemId: ofItem, baseId: ofBase, conceptId } = itemTarget;

/**
 * verified: what was cited stands where it was cited. moved: it stands elsewhere in the document. changed: it can't be found
 * there as it was. gone: there is no such document to read any more.
 */
export const citationStatus = z.enum(["verified", "moved", "changed", "gone"]);

export const citationMethods = {
  "citation.verify": method({
    params: z.strictObject({
      itemId: ofItem,
      baseId: ofBase,
      conceptId,
      charStart: z.number().int().min(0),
      charEnd: z.number().int().min(0),
      contentHash: z.string().min(1).max(200).describe("of the document, as the hit or the reading had it"),
      text: z
        .string()
        .min(1)
        .max(MAX_QUOTED)
        .optional()
        .describe(
          "what was quoted, all of the passage or a part: without it nothing can be told of a document that changed",
        ),
      deadlineMs,
    }),
    result: z.object({
      status: citationStatus,
      reason: z.string().describe("what was compared, for people"),
      baseId: baseId.optional(),
      itemId: itemId.optional(),
      conceptId: z.string().optional(),
      contentHash: z.string().optional().describe("of the document as it is now"),
      totalChars: z.number().int().optional(),
      charStart: z
        .number()
        .int()
        .optional()
        .describe("verified and moved: where it stands now, the place nearest to the old one"),
      charEnd: z.number().int().optional(),
      places: z.number().int().optional().describe("with text: how often it stands in the document"),
    }),
    errors: ["INVALID_FIELD", "DEADLINE"],
    scope: "own",
    doc: "Tell whether a citation still holds: verified, moved (with the new offsets), changed or gone, by the stored text.",
    tool: true,
    example: {
      itemId: "01932c07-4a3f-7b6e-9a52-0c5f0e9d7a11",
      charStart: 120,
      charEnd: 180,
      contentHash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      text: "Keys are rotated every month",
    },
    deadlineMs: INDEX_DEADLINE_MS,
  }),
};
