import type { SearchTasks } from "./contract.ts";
import type { IndexReader } from "./index-reader.ts";
import { compileLinePattern } from "./line-pattern.ts";
import type { TextCache } from "./text-cache.ts";
import { currentHash } from "./units.ts";

type Window = SearchTasks["index.window"];
type Find = SearchTasks["index.find"];

/** A part of a material's text; null when the index does not have it. */
export function windowOf(reader: IndexReader, texts: TextCache, input: Window["input"]): Window["output"] {
  const whole = wholeText(reader, texts, input.materialId);
  if (!whole) return null;
  const { text, contentHash } = whole;
  return { text: text.slice(input.charStart, input.charEnd), totalChars: text.length, contentHash };
}

/** A pattern's matches in a material's text; null when the index does not have it. Throws PATTERN_INVALID. */
export function findIn(reader: IndexReader, texts: TextCache, input: Find["input"]): Find["output"] {
  const pattern = compileLinePattern(input.options);
  const whole = wholeText(reader, texts, input.materialId);
  if (!whole) return null;
  const { limit } = input.options;
  const matches = pattern.find(whole.text, limit + 1);
  return {
    matches: matches.slice(0, limit),
    truncated: matches.length > limit,
    totalChars: whole.text.length,
    contentHash: whole.contentHash,
  };
}

function wholeText(
  reader: IndexReader,
  texts: TextCache,
  materialId: string,
): { text: string; contentHash: string } | null {
  return reader.snapshot(() => {
    const contentHash = currentHash(reader, materialId);
    const text = contentHash === null ? null : texts.get(reader, contentHash);
    return text === null || contentHash === null ? null : { text, contentHash };
  });
}
