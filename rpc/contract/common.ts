import { z } from "zod";

/** Milliseconds since 1970, as Date.now() gives them. */
export const timestamp = z.number().int().nonnegative();

export const baseId = z.uuid().describe("the id of a base (UUID v4)");
export const itemId = z.uuid().describe("the id of an item (UUID v7)");
export const sourceId = z.uuid().describe("the id of a source (UUID v7)");

/** A key-paged list: pass `cursor` from the last answer to get what follows. */
export const page = {
  limit: z.number().int().min(1).max(100).default(20).describe("how many, 1 to 100"),
  cursor: z.string().max(512).optional().describe("from the last answer; leave out to start"),
};

export function listOf<T extends z.ZodType>(entry: T) {
  return z.object({ items: z.array(entry), cursor: z.string().optional() });
}

/** Of a reindex. */
export const refused = z
  .number()
  .int()
  .describe("items left as they are, since their file is missing or their source can't be read right now");

/** Of what is asked of an index: behind the deadlines that a caller and `search.deadlineMs` may set, which come first. */
export const INDEX_DEADLINE_MS = 610_000;

/** An item is named by its id, or by its base and its path inside it, or by its absolute path. */
export const itemTarget = {
  itemId: itemId.optional(),
  baseId: baseId.optional(),
  conceptId: z.string().max(4096).optional().describe("its path inside the base"),
  path: z.string().max(4096).optional().describe("its file's absolute path"),
};

export const empty = z.strictObject({});

/** Where in its file a passage stands. Which fields are there depends on the format. */
export const locator = z.object({
  page: z.number().int().positive().optional().describe("1-based page of a PDF"),
  lineStart: z.number().int().positive().optional().describe("1-based first line"),
  lineEnd: z.number().int().positive().optional().describe("1-based last line"),
  sheet: z.string().optional(),
  range: z.string().optional().describe("cells, such as A1:C9"),
  slide: z.number().int().positive().optional(),
  chapter: z.string().optional(),
  timestampMs: z.number().int().nonnegative().optional(),
  messageId: z.string().optional(),
});
