import { z } from "zod";
import { INDEX_DEADLINE_MS, baseId, itemId, timestamp } from "./common.ts";
import { method } from "./define.ts";
import type { ErrorName } from "./errors.ts";
import { hit } from "./hits.ts";

export const searchMode = z.enum(["bm25", "hybrid"]);

const date = z
  .union([timestamp, z.string().min(1).max(40)])
  .describe("milliseconds, or 2026, 2026-03, 2026-03-01, an ISO time, yesterday, 7d, 2w, 3m, 1y, last-week");

export const filters = z.strictObject({
  path: z.string().min(1).max(500).optional().describe("a glob over the concept id or the absolute path"),
  types: z
    .array(z.string().min(1).max(50))
    .max(20)
    .optional()
    .describe("any of these formats or file extensions, such as markdown, pdf or ts"),
  tags: z
    .array(z.string().min(1).max(200))
    .max(20)
    .optional()
    .describe("all of these tags; project stands for project/x too, case and # do not matter"),
  after: date.optional().describe("changed at or after"),
  before: date.optional().describe("changed before"),
  itemIds: z.array(itemId).max(1000).optional(),
});
export type Filters = z.infer<typeof filters>;

export const correction = z.object({
  term: z.string().describe("what occurs nowhere in these bases"),
  used: z.array(z.string()).describe("what was searched for in its place, the likeliest first"),
  baseIds: z.array(baseId),
});
export type Correction = z.infer<typeof correction>;

export const understood = z.object({
  text: z.string().describe("what was searched for"),
  phrases: z.array(z.string()).describe("what a passage must hold"),
  excluded: z.array(z.string()).describe("what it must not"),
  filters: z.object({
    paths: z.array(z.string()).optional(),
    notPaths: z.array(z.string()).optional(),
    types: z.array(z.string()).optional(),
    notTypes: z.array(z.string()).optional(),
    tags: z.array(z.string()).optional(),
    notTags: z.array(z.string()).optional(),
    after: z.number().optional(),
    before: z.number().optional(),
  }),
});
export type Understood = z.infer<typeof understood>;

export const searchResult = z.object({
  hits: z.array(hit),
  cursor: z.string().optional().describe("there is more: pass it with the same parameters"),
  mode: searchMode,
  degraded: z.string().optional().describe("what did not work, when the answer is less than it could be"),
  corrections: z.array(correction).optional().describe("words that occur nowhere, searched for as others"),
  understood: understood.optional().describe("with explain: how the query was read, times in milliseconds"),
  warnings: z
    .array(z.string())
    .describe("bases that could not be searched, sources that are stale, syntax that was taken for text"),
  tookMs: z.number(),
});
export type SearchResult = z.infer<typeof searchResult>;

export const match = z.object({
  line: z.number().int().positive(),
  charStart: z.number().int(),
  charEnd: z.number().int(),
  before: z.string().describe("at most 60 characters of the line before the match"),
  match: z.string(),
  after: z.string().describe("at most 60 characters of the line after the match"),
});

/** Of what a caller of the index may set. */
export const deadlineMs = z
  .number()
  .int()
  .min(1)
  .max(60_000)
  .optional()
  .describe("default the configured search.deadlineMs");
export const literal = z.boolean().default(false).describe("take the pattern as plain text");

/** As parse-query.ts reads it. */
const syntax =
  'words, any of which may match; "a phrase" that must stand in the passage; -word or -"a phrase" that must not stand in it ' +
  "(nor in its title, headings or path); path:docs, path:src/**/*.ts, type:pdf, tag:project, after:2026-03, before:7d filter " +
  "documents, -path:, -type:, -tag: leave them out; quotes hold values with spaces; all must hold, of several types one. A " +
  "backslash before a quote, a minus or a colon makes text of it. Dates are local; today, yesterday, 7d, 2w, 3m, 1y, last-week " +
  "work too. With filters alone, the first passage of each document, the one that was changed last first.";

export const searchParams = z.strictObject({
  query: z.string().max(10_000).describe(syntax),
  baseIds: z.array(baseId).min(1).max(100).optional().describe("leave out for all bases"),
  topK: z
    .number()
    .int()
    .min(1)
    .max(200)
    .optional()
    .describe("hits to answer; default the base's documentCount, else 10"),
  filters: filters.optional().describe("beside those in the query: all must hold"),
  exclude: z
    .array(z.string().min(1).max(200))
    .max(20)
    .optional()
    .describe("words and phrases that no passage may hold"),
  groupBy: z
    .enum(["document"])
    .optional()
    .describe("document: a hit for each document, with its best passages"),
  passages: z
    .number()
    .int()
    .min(1)
    .max(10)
    .default(3)
    .describe("with groupBy: passages of a document at most, the hit's own included"),
  foldDuplicates: z
    .boolean()
    .default(true)
    .describe("passages of nearly the same text become one hit, which names the others"),
  sort: z
    .enum(["relevance", "newest", "oldest"])
    .default("relevance")
    .describe(
      "newest, oldest: of the 200 best passages those that match well, by the time of their document",
    ),
  cursor: z
    .string()
    .max(100)
    .optional()
    .describe("from the last answer, with the same parameters; topK may differ"),
  explain: z.boolean().default(false),
  deadlineMs,
});

export const searchErrors = [
  "QUERY_EMPTY",
  "BASE_NOT_FOUND",
  "BASE_FAILED",
  "CURSOR_INVALID",
  "CURSOR_EXPIRED",
  "INVALID_FIELD",
  "DEADLINE",
] as const satisfies readonly ErrorName[];

export const searchMethods = {
  "search.query": method({
    params: searchParams,
    result: searchResult,
    errors: searchErrors,
    scope: "bases",
    doc: "Search by words and by meaning; ranked passages with what is needed to open their source.",
    example: { query: "how do I rotate the keys" },
    deadlineMs: INDEX_DEADLINE_MS,
  }),
};
