import type { LineMatch } from "../contract.ts";
import type { TextPiece } from "../document-text.ts";
import type { Line } from "./line-pattern.ts";

/** Characters that are shown of a line and of a match. */
export const MAX_LINE = 2000;
/** Characters shown on either side of a match. */
const BESIDE = 60;

/** A match as it is told, with its places in the document. */
export function lineMatch(
  { text, piece, number }: { text: string; piece: TextPiece; number: number },
  line: Line,
  { start, end }: Line,
): LineMatch {
  return {
    line: piece.lineStart + number - 1,
    charStart: piece.charStart + start,
    charEnd: piece.charStart + end,
    before: wellFormed(text.slice(Math.max(line.start, start - BESIDE), start)),
    match: end - start > MAX_LINE ? wellFormed(text.slice(start, start + MAX_LINE)) : text.slice(start, end),
    after: wellFormed(text.slice(end, Math.min(line.end, end + BESIDE))),
    lineText: shownLine(text, line),
  };
}

/** Of all that is told with a match so far. */
export function charsOf({ match, before, after, lineText, linesBefore = [] }: LineMatch): number {
  return match.length + before.length + after.length + lineText.length + lengthOf(linesBefore);
}

export function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length, 0);
}

export function shownLine(text: string, { start, end }: Line): string {
  const shown = text.slice(start, Math.min(end, start + MAX_LINE));
  return end - start > MAX_LINE ? wellFormed(shown) : shown;
}

/** Without the half of a surrogate pair that a cut may have left at either end. */
function wellFormed(cut: string): string {
  const from = (cut.charCodeAt(0) & 0xfc00) === 0xdc00 ? 1 : 0;
  const to = (cut.charCodeAt(cut.length - 1) & 0xfc00) === 0xd800 ? -1 : cut.length;
  return from === 0 && to === cut.length ? cut : cut.slice(from, to);
}
