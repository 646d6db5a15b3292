import type { TextPiece } from "../document-text.ts";
import type { IndexReader } from "../index-reader.ts";
import { shownLine } from "./line-match.ts";
import { lineAround } from "./line-pattern.ts";
import type { TextCache } from "../text-cache.ts";

/** A document's text, piece by piece, and the lines around a place, also over the bounds of pieces. */
export interface DocumentLines {
  readonly pieces: readonly TextPiece[];
  /** Null when the piece is gone: the document was replaced meanwhile. */
  textOf(piece: number): string | null;
  /** Lines before one that begins at a place of a piece, the nearest `count`, but none that begins before `from` in the document. */
  before(piece: number, start: number, count: number, from: number): string[];
  /** Lines behind one that ends at a place of a piece, and where they end; none that begins at or behind `to`. */
  behind(piece: number, end: number, count: number, to: number): { lines: string[]; toldTo: number };
}

export function documentLines(
  pieces: readonly TextPiece[],
  readerOf: () => IndexReader,
  texts: TextCache,
): DocumentLines {
  // The cache of texts may be full: what is looked at again and again is held here, the piece at hand and the one beside it.
  let held: { piece: number; text: string }[] = [];

  function textOf(piece: number): string | null {
    const known = held.find((one) => one.piece === piece);
    if (known) return known.text;
    const { contentHash } = pieces[piece] ?? {};
    const text = contentHash === undefined ? null : texts.get(readerOf, contentHash);
    if (text !== null) held = [...held.slice(-1), { piece, text }];
    return text;
  }

  return {
    pieces,
    textOf,
    before(piece, start, count, from) {
      const lines: string[] = [];
      let at = start;
      let text = textOf(piece);
      while (lines.length < count && text !== null) {
        if (at === 0) {
          text = textOf(--piece);
          // A place one behind the end stands for a piece that ends within a line.
          at = text === null ? 0 : text.endsWith("\n") ? text.length : text.length + 1;
          continue;
        }
        const end = at - 1;
        const begin = end === 0 ? 0 : text.lastIndexOf("\n", end - 1) + 1;
        if (pieces[piece]!.charStart + begin < from) break;
        lines.unshift(shownLine(text, { start: begin, end }));
        at = begin;
      }
      return lines;
    },
    behind(piece, end, count, to) {
      const lines: string[] = [];
      let at = end + 1;
      let text = textOf(piece);
      while (text !== null && lines.length < count) {
        if (at >= text.length) {
          text = textOf(++piece);
          at = 0;
          continue;
        }
        if (pieces[piece]!.charStart + at >= to) break;
        const line = lineAround(text, at);
        lines.push(shownLine(text, line));
        at = line.end + 1;
      }
      return { lines, toldTo: (pieces[piece]?.charStart ?? Infinity) + at };
    },
  };
}
