import { z } from "zod";
import { INDEX_DEADLINE_MS, baseId, itemId } from "./common.ts";
import { method } from "./define.ts";
import { MAX_MATCHES, MAX_STREAMED } from "./grep-limits.ts";
import { deadlineMs, literal, match } from "./search.ts";

const pattern = z.string().max(1000);
const contextLines = z.number().int().min(0).max(50).default(0);

const place = {
  baseId,
  itemId,
  conceptId: z.string(),
  path: z.string().nullable().describe("the file's path, absolute for watched files"),
};

export const grepMatch = match.extend({
  ...place,
  lineText: z.string().describe("the line, cut at 2,000 characters like `match`"),
  linesBefore: z
    .array(z.string())
    .optional()
    .describe("with `before`: lines before it, without those that match or were listed already"),
  linesAfter: z.array(z.string()).optional().describe("with `after`: likewise, lines behind it"),
});
export type GrepMatch = z.infer<typeof grepMatch>;

export const grepDocument = z.object({
  ...place,
  lines: z.number().int().describe("lines that match; 1 with output documents, which stops at the first"),
});
export type GrepDocument = z.infer<typeof grepDocument>;

/** What `$/progress` carries while a grep is streamed. A document of many matches may come in several parts. */
export interface GrepPart {
  readonly documents: readonly PartDocument[];
}
/** A part as JSON in UTF-8 with a character for each byte, in pieces: sent as it is. */
export interface EncodedPart {
  readonly utf8: readonly string[];
}
export interface PartDocument extends GrepDocument {
  /** Empty with `lean`. */
  readonly matches: readonly LineMatch[];
  readonly lean?: LeanMatches;
}
/** A line number of each match, and as many texts, each ended by \n but for the last. */
export interface LeanMatches {
  readonly line: readonly number[];
  readonly texts: string;
}
export type LineMatch = Omit<GrepMatch, keyof typeof place>;

export const grepMethods = {
  "kb.grep": method({
    params: z.strictObject({
      pattern: pattern.describe(
        "a regular expression as ripgrep takes it: no look-around, no back-references; empty matches each line",
      ),
      patterns: z.array(pattern).max(100).optional().describe("further ones: one that matches is enough"),
      baseIds: z.array(baseId).min(1).max(100).optional().describe("leave out for all bases"),
      glob: z
        .union([z.string().min(1).max(500), z.array(z.string().min(1).max(500)).min(1).max(50)])
        .optional()
        .describe(
          "only documents that fit, as ripgrep's -g: relative to the base or the watched folder, or an absolute path; with ! all but those; the last one that fits counts",
        ),
      types: z
        .array(z.string().min(1).max(50))
        .max(20)
        .optional()
        .describe("formats, such as markdown or pdf"),
      caseSensitive: z
        .boolean()
        .optional()
        .describe("leave out for smart case: sensitive when a pattern names a capital"),
      literal,
      word: z.boolean().default(false).describe("no word character stands before or behind a match"),
      wholeLine: z.boolean().default(false).describe("a match is all of its line"),
      invert: z.boolean().default(false).describe("the lines that do not match"),
      before: contextLines.describe("lines to answer before each line that matches"),
      after: contextLines.describe("lines to answer behind each line that matches"),
      perLine: z.boolean().default(false).describe("only the first match of each line"),
      maxCount: z.number().int().min(1).optional().describe("matching lines of a document at most"),
      output: z
        .enum(["matches", "counts", "documents"])
        .default("matches")
        .describe("counts: how many lines of each document match; documents: which have a match"),
      limit: z
        .number()
        .int()
        .min(1)
        .max(MAX_STREAMED)
        .default(500)
        .describe(`matches (or documents) at most, in all; above ${MAX_MATCHES} only with stream`),
      stream: z
        .boolean()
        .default(false)
        .describe(
          "send what is found with $/progress, as `part` {documents: [{itemId, path, lines, matches, …}]}, and answer without it; needs a progressToken",
        ),
      lean: z
        .boolean()
        .default(false)
        .describe(
          "with stream: of a document no matches but `lean` {line: [their numbers], texts}: with perLine the lines, else what matched, joined by \\n and cut like lineText; not with before and after",
        ),
      deadlineMs: deadlineMs.describe(
        "default the configured search.deadlineMs; time in which a stream waits for its reader does not count",
      ),
    }),
    result: z.object({
      matches: z.array(grepMatch),
      files: z.array(grepDocument).optional().describe("with output counts or documents, instead of matches"),
      documents: z.number().int().describe("documents looked through"),
      truncated: z
        .boolean()
        .describe(
          "there is more than limit, or than two million characters in an answer that is not streamed",
        ),
      streamed: z.number().int().optional().describe("with stream: matches or documents that were sent"),
      warnings: z.array(z.string()),
    }),
    errors: ["BASE_NOT_FOUND", "PATTERN_INVALID", "INVALID_FIELD", "DEADLINE"],
    scope: "bases",
    doc: "Find a regular expression or a literal in all documents, line by line, as ripgrep does in their texts.",
    tool: true,
    example: { pattern: "rotate_keys?\\(" },
    deadlineMs: INDEX_DEADLINE_MS,
  }),
};
