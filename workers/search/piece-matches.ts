import type { LineMatch } from "./contract.ts";
import type { TextPiece } from "./document-text.ts";
import type { IndexReader } from "./index-reader.ts";
import type { LinePattern } from "./line-pattern.ts";
import type { TextCache } from "./text-cache.ts";
import type { Turns } from "./turns.ts";

export interface PieceSearch {
  readonly readerOf: () => IndexReader;
  readonly texts: TextCache;
  readonly turns: Turns;
}

/**
 * The matches in a document's pieces, in their order, up to `limit`, with places in the whole. One piece is in memory at a
 * time; a match does not reach over two, which meet at a line's end but for lines of a megabyte. Incomplete when a piece is
 * gone: the document was replaced meanwhile.
 */
export async function matchesIn(
  pieces: readonly TextPiece[],
  pattern: LinePattern,
  limit: number,
  { readerOf, texts, turns }: PieceSearch,
): Promise<{ matches: LineMatch[]; complete: boolean }> {
  const matches: LineMatch[] = [];
  for (const piece of pieces) {
    await turns.pause();
    const text = texts.get(readerOf(), piece.contentHash);
    if (text === null) return { matches, complete: false };
    for (const match of pattern.find(text, limit - matches.length)) matches.push(placed(match, piece));
    if (matches.length >= limit) break;
  }
  return { matches, complete: true };
}

function placed(match: LineMatch, { charStart, lineStart }: TextPiece): LineMatch {
  if (charStart === 0) return match;
  return {
    ...match,
    line: match.line + lineStart - 1,
    charStart: match.charStart + charStart,
    charEnd: match.charEnd + charStart,
  };
}
