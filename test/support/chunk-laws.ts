import { expect } from "vitest";
import type { ChunkSettings, PreparedDocument } from "../../workers/contract.ts";
import { sha256 } from "../../workers/ids.ts";
import type { ParsedDocument } from "../../workers/parse/parse-bytes.ts";
import { chunkDocument, prepareDocument, type PrepareInput } from "../../workers/parse/prepare.ts";

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
/** Units that are looked at on both sides of an edge. */
const REACH = 120;

const prepareInput = (chunking: ChunkSettings): PrepareInput => ({
  materialId: "material",
  relativePath: "a/file",
  chunking,
});

export const prepareWhole = (parsed: ParsedDocument, chunking: ChunkSettings): PreparedDocument =>
  prepareDocument(parsed, chunkDocument(parsed, prepareInput(chunking)));

/** What K7 says of the chunks of any document, whatever it was read from. */
export function expectChunkLaws(parsed: ParsedDocument, chunking: ChunkSettings): PreparedDocument {
  const document = prepareWhole(parsed, chunking);
  const { text, units } = document;
  expect(text).toBe(parsed.parts.map((part) => part.text).join("\n\n"));
  expect(document.contentHash).toBe(sha256(text));
  let coveredTo = 0;
  let lost = "";
  for (const [index, unit] of units.entries()) {
    const { charStart, charEnd, headings, locator } = unit;
    const previous = units[index - 1];
    const slice = text.slice(charStart, charEnd);
    const faults = [
      unit.unitIndex !== index && "its index does not run on",
      charStart < (previous?.charStart ?? 0) && "it begins before the one before it",
      charEnd <= (previous?.charEnd ?? 0) && "it ends no later than the one before it",
      charEnd > text.length && "it ends beyond the text",
      slice.trim() === "" && "it is empty",
      unit.textHash !== sha256(slice) && "its hash is of another text",
      splitsCluster(text, charStart) && "it begins inside a grapheme cluster",
      splitsCluster(text, charEnd) && "it ends inside a grapheme cluster",
      headings.some((heading) => heading.trim() === "" || heading.includes("\n")) && "a heading is no line",
      unit.title === "" && "it has no title",
      (locator?.lineStart ?? 1) > (locator?.lineEnd ?? Infinity) && "its lines run backwards",
    ].filter((fault) => fault !== false);
    expect({ index, charStart, charEnd, headings, locator, faults }).toMatchObject({ faults: [] });
    if (charStart > coveredTo) lost += text.slice(coveredTo, charStart).trim();
    coveredTo = charEnd;
  }
  expect(lost + text.slice(coveredTo).trim()).toBe("");
  const ids = units.map(({ unitId }) => unitId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(prepareWhole(parsed, chunking).units.map(({ unitId }) => unitId)).toEqual(ids);
  return document;
}

/** By the segmenter itself, from a place in front that is an edge in any case. */
function splitsCluster(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return false;
  let from = Math.max(0, at - REACH);
  while (from > 0 && from < at && !/[ \n][!-~]/.test(text.slice(from - 1, from + 1))) from++;
  // Without such a place near by, surrogates alone are looked after.
  if (from === at) return /[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(at - 1, at + 1));
  const pieces = segmenter.segment(text.slice(from, at + REACH));
  return pieces.containing(at - from)?.index !== at - from;
}
