import { z } from "zod";
import { INDEX_DEADLINE_MS, baseId, itemId } from "./common.ts";
import { method } from "./define.ts";
import { lanes } from "./hits.ts";
import { correction, searchMode, searchParams, understood } from "./search.ts";

const term = z.object({
  text: z.string().describe("as it is looked for; a * at its end stands for any ending"),
  kind: z
    .enum(["word", "literal", "prefix", "part", "variant", "whole"])
    .describe(
      "literal: words side by side; part: of a camelCase name; whole: the query itself, word for word",
    ),
  passages: z.number().int().describe("passages of the base that hold it"),
});

const explainedPassage = z.object({
  unitId: z.string(),
  itemId,
  conceptId: z.string().nullable().describe("null when the document is gone"),
  path: z.string().nullable(),
  score: z.number().describe("after fusion; it orders the list"),
  lanes,
  words: z
    .object({
      score: z.number().describe("BM25 of the passage, and what its document adds"),
      own: z
        .number()
        .describe("BM25 of the passage alone, and what its words earn by standing close together"),
      terms: z.array(z.object({ text: z.string(), score: z.number() })).describe("what each term adds"),
    })
    .nullable()
    .describe("null where the words do not rank it"),
  outcome: z
    .enum(["hit", "passage", "duplicate", "unlisted", "cut", "hidden", "filtered"])
    .describe(
      "passage: shown with its document's hit; duplicate: named by the hit of nearly the same text; unlisted: behind topK; cut: behind the candidates; hidden: its document is not shown now; filtered: of the item, which does not pass the filters",
    ),
  rank: z.number().int().positive().optional().describe("of the hit that it is, or that shows it"),
});

const explainedBase = z.object({
  baseId,
  terms: z.array(term),
  fusion: z
    .object({
      kind: z.enum(["none", "rrf", "convex"]),
      alpha: z.number().optional(),
      weights: z
        .object({ words: z.number(), vectors: z.number(), latent: z.number() })
        .optional()
        .describe("what each lane counted; the less sure the words are, the more the vectors count"),
      meaning: z
        .number()
        .optional()
        .describe(
          "where the words were unsure: what `meaning` of the passages that were read counted instead of `cosine`, 0 to 1",
        ),
    })
    .describe("how the lanes become one list; none when the words are the only lane"),
  candidates: z.number().int().describe("passages that each lane names, and that the fused list keeps"),
  passages: z.array(explainedPassage).describe("all that a lane named, in the order of the fused list"),
  item: z
    .array(explainedPassage)
    .optional()
    .describe("with itemId: the best passages of that item, where it stands in this base"),
});
export type ExplainedBase = z.infer<typeof explainedBase>;
export type ExplainedPassage = z.infer<typeof explainedPassage>;

export const explainMethods = {
  "search.explain": method({
    params: searchParams
      .omit({ cursor: true, explain: true })
      .extend({ itemId: itemId.optional().describe("why this item is, or is not, among the hits") }),
    result: z.object({
      mode: searchMode,
      degraded: z.string().optional(),
      understood,
      corrections: z.array(correction).optional(),
      warnings: z.array(z.string()),
      bases: z.array(explainedBase),
      tookMs: z.number(),
    }),
    errors: ["QUERY_EMPTY", "BASE_NOT_FOUND", "BASE_FAILED", "INVALID_FIELD", "ITEM_NOT_FOUND", "DEADLINE"],
    scope: "bases",
    doc: "How a search comes to its answer: terms, the lanes' lists, fusion, and what became of each passage.",
    example: { query: "how do I rotate the keys" },
    deadlineMs: INDEX_DEADLINE_MS,
  }),
};
