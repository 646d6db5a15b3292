import type { ReadFailure } from "../../workers/contract.ts";
import { type ParsedDocument, type ParseInput, parseBytes } from "../../workers/parse/parse-bytes.ts";
import { ReadProblem } from "../../workers/parse/reader.ts";

/** Parses bytes, or a text as UTF-8, as a file of that name. */
export function parseAs(
  name: string,
  content: string | Uint8Array,
  options: Partial<ParseInput> = {},
): Promise<ParsedDocument> {
  return parseBytes({
    bytes: typeof content === "string" ? Buffer.from(content, "utf8") : content,
    relativePath: name,
    snapshot: false,
    limits: { maxTextChars: 64 * 1024 * 1024, chunkTokens: 1024 },
    signal: undefined,
    ...options,
  });
}

export function textOfParts(document: ParsedDocument): string {
  return document.parts.map((part) => part.text).join("\n\n");
}

/** The failure that reading it ends with. */
export async function failureOf(
  parsing: Promise<ParsedDocument>,
): Promise<{ failure: ReadFailure; message: string }> {
  try {
    await parsing;
  } catch (error) {
    if (error instanceof ReadProblem) return { failure: error.failure, message: error.message };
    throw error;
  }
  throw new Error("it was read without a failure");
}
