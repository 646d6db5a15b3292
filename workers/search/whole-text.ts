import type { SearchTasks } from "./contract.ts";
import { documentText, type DocumentText } from "./document-text.ts";
import { documentLines } from "./grep/document-lines.ts";
import { findMatches } from "./grep/grep-document.ts";
import type { IndexReader } from "./index-reader.ts";
import { compileLinePattern } from "./grep/line-pattern.ts";
import type { TextCache } from "./text-cache.ts";
import { createTurns, finish } from "./turns.ts";

type Window = SearchTasks["index.window"];
type Find = SearchTasks["index.find"];

/** How often a look through a document begins anew because it was replaced on the way. */
const ATTEMPTS = 3;

const ALL_MATCHES = {
  output: "matches",
  perLine: false,
  maxPerDocument: Infinity,
  linesBefore: 0,
  linesAfter: 0,
  lean: false,
} as const;

/** A part of a material's text; null when the index does not have it. Only the pieces that it touches are loaded. */
export function windowOf(reader: IndexReader, texts: TextCache, input: Window["input"]): Window["output"] {
  const { charStart, charEnd } = input;
  return reader.snapshot(() => {
    const document = documentText(reader, input.materialId);
    if (!document) return null;
    let text = "";
    for (const piece of document.pieces) {
      const end = piece.chars === null ? Infinity : piece.charStart + piece.chars;
      if (end <= charStart || piece.charStart >= charEnd) continue;
      const whole = texts.get(() => reader, piece.contentHash);
      if (whole === null) return null;
      text += whole.slice(Math.max(0, charStart - piece.charStart), charEnd - piece.charStart);
    }
    const totalChars = lengthOf(reader, texts, document);
    return totalChars === null ? null : { text, totalChars, contentHash: document.contentHash };
  });
}

/**
 * A pattern's matches in a material's text, piece by piece; null when the index does not have it. Throws PATTERN_INVALID,
 * and the signal's reason. `readerOf` is asked anew after each pause: another task may have closed the connection.
 */
export async function findIn(
  readerOf: () => IndexReader,
  texts: TextCache,
  input: Find["input"],
  signal: AbortSignal,
): Promise<Find["output"]> {
  const pattern = compileLinePattern(input.options);
  const { limit } = input;
  const turns = createTurns(signal);
  for (let attempt = 1; ; attempt++) {
    const document = readerOf().snapshot(() => documentText(readerOf(), input.materialId));
    if (!document) return null;
    let told = 0;
    const look = findMatches({
      lines: documentLines(document.pieces, readerOf, texts),
      pattern,
      options: ALL_MATCHES,
      allowance: { isUsedUp: () => told >= limit, take: () => void told++, takeAround: () => undefined },
      turns,
      from: null,
      contentHash: document.contentHash,
    });
    const found = await finish(look, turns);
    const totalChars = found.complete ? lengthOf(readerOf(), texts, document) : null;
    if (totalChars === null && attempt < ATTEMPTS) continue;
    return {
      matches: found.told,
      truncated: found.next !== null || totalChars === null,
      totalChars: totalChars ?? 0,
      contentHash: document.contentHash,
    };
  }
}

function lengthOf(reader: IndexReader, texts: TextCache, { pieces }: DocumentText): number | null {
  const last = pieces.at(-1);
  if (!last) return 0;
  if (last.chars !== null) return last.charStart + last.chars;
  return texts.get(() => reader, last.contentHash)?.length ?? null;
}
